import { assetAddress } from "./asset-address.ts";
import { maxAttributes, readAttributes } from "./attributes.ts";
import { cleanLine, cleanText } from "./clean-text.ts";
import type { DocumentOutcome, NftDocument } from "./document.ts";
import { isNumber, isObject, type JsonObject, type JsonValue, parseJsonText } from "./json-text.ts";

const maxNameLength = 200;
const maxDescriptionLength = 10_000;
const utf8 = new TextDecoder("utf-8");

/** Decodes UTF-8 without its byte order mark. Invalid bytes become replacement characters, so that one wrong letter does not cost a token its picture. */
export const textOfBytes = (bytes: Uint8Array): string => utf8.decode(bytes);

/** Parses and sanitizes a metadata document. */
export const parseDocument = (text: string): DocumentOutcome => {
  let root: JsonValue;
  try {
    root = parseJsonText(text);
  } catch (error) {
    return refused(`The metadata is not JSON: ${(error as Error).message}.`);
  }
  return isObject(root) ? { ok: true, document: readDocument(text, root) } : refused("The metadata is not a JSON object.");
};

/** The document of a token whose URL is a picture. */
export const pictureDocument = (url: string): DocumentOutcome => {
  const picture = assetAddress(url, "picture");
  if ("fault" in picture) return refused(`The picture in place of the metadata ${picture.fault}.`);
  return { ok: true, document: { ...nothing, document: url, image: picture.url, assetBytes: picture.bytes } };
};

const nothing: NftDocument = {
  document: "",
  name: null,
  description: null,
  image: null,
  animationUrl: null,
  externalUrl: null,
  owner: null,
  attributes: null,
  counted: [],
  assetBytes: null,
  refusal: null,
};

const readDocument = (text: string, root: JsonObject): NftDocument => {
  const faults: string[] = [];
  const image = addressIn(root, ["image", "image_url", "imageUrl", "image_data"], "picture", faults);
  const animation = addressIn(root, ["animation_url", "animationUrl"], "picture or recording", faults);
  const external = addressIn(root, ["external_url", "externalUrl", "external_link"], "page", faults);
  const { attributes, counted, isCut } = readAttributes(root);
  if (isCut) faults.push(`Only the first ${maxAttributes} attributes are stored.`);
  const description = textIn(root, "description");
  return {
    document: text,
    name: cleanLine(textIn(root, "name"), maxNameLength),
    description: cleanText(description, maxDescriptionLength),
    image: image?.url ?? null,
    animationUrl: animation?.url ?? null,
    externalUrl: external?.url ?? null,
    owner: cleanLine(textIn(root, "owner"), maxNameLength),
    attributes,
    counted,
    assetBytes: (animation ?? image)?.bytes ?? null,
    refusal: faults.length === 0 ? null : faults.join(" "),
  };
};

/** The first valid URL in some fields; the faults of those before it are recorded. */
const addressIn = (root: JsonObject, keys: readonly string[], allowed: Parameters<typeof assetAddress>[1], faults: string[]) => {
  for (const key of keys) {
    const text = root.get(key);
    if (typeof text !== "string" || text.trim() === "") continue;
    const address = assetAddress(text, allowed);
    if (!("fault" in address)) return address;
    faults.push(`Left out ${key}: it ${address.fault}.`);
  }
  return null;
};

const textIn = (root: JsonObject, key: string): string => {
  const value = root.get(key);
  if (typeof value === "string") return value;
  return isNumber(value) ? value.number : "";
};

const refused = (refusal: string): DocumentOutcome => ({ ok: false, refusal, isPermanent: true });
