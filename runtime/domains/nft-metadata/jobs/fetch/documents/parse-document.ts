import { checkAssetUrl } from "./asset-url.ts";
import { maxAttributes, readAttributes } from "./attributes.ts";
import { cleanLine, cleanText } from "./clean-text.ts";
import type { DocumentOutcome, NftDocument } from "./document.ts";
import { isNumber, isObject, type JsonObject, type JsonValue, parseJsonText } from "./json-text.ts";

const maxNameLength = 200;
const maxDescriptionLength = 10_000;
const utf8 = new TextDecoder("utf-8");

/** Decodes UTF-8 without its byte order mark. Invalid bytes become replacement characters, so that one of them does not make a document unreadable. */
export const decodeUtf8 = (bytes: Uint8Array): string => utf8.decode(bytes);

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

/** The document of a token whose metadata URL embeds an image. */
export const imageDocument = (url: string): DocumentOutcome => {
  const image = checkAssetUrl(url, "image");
  if ("problem" in image) return refused(`The image in the metadata URL ${image.problem}.`);
  return { ok: true, document: { ...emptyDocument, text: url, image: image.url, assetBytes: image.bytes } };
};

const emptyDocument: NftDocument = {
  text: "",
  name: null,
  description: null,
  image: null,
  animationUrl: null,
  externalUrl: null,
  owner: null,
  attributes: null,
  countedAttributes: [],
  assetBytes: null,
  refusal: null,
};

const readDocument = (text: string, root: JsonObject): NftDocument => {
  const problems: string[] = [];
  const image = urlIn(root, ["image", "image_url", "imageUrl", "image_data"], "image", problems);
  const animation = urlIn(root, ["animation_url", "animationUrl"], "image or recording", problems);
  const external = urlIn(root, ["external_url", "externalUrl", "external_link"], "page", problems);
  const { attributes, countedAttributes, isTruncated } = readAttributes(root);
  if (isTruncated) problems.push(`Only the first ${maxAttributes} attributes are stored.`);
  const description = textIn(root, "description");
  return {
    text,
    name: cleanLine(textIn(root, "name"), maxNameLength),
    description: cleanText(description, maxDescriptionLength),
    image: image?.url ?? null,
    animationUrl: animation?.url ?? null,
    externalUrl: external?.url ?? null,
    owner: cleanLine(textIn(root, "owner"), maxNameLength),
    attributes,
    countedAttributes,
    assetBytes: (animation ?? image)?.bytes ?? null,
    refusal: problems.length === 0 ? null : problems.join(" "),
  };
};

/** The first valid URL in the fields `keys`; the problems of the fields before it are recorded. */
const urlIn = (root: JsonObject, keys: readonly string[], allowed: Parameters<typeof checkAssetUrl>[1], problems: string[]) => {
  for (const key of keys) {
    const text = root.get(key);
    if (typeof text !== "string" || text.trim() === "") continue;
    const checked = checkAssetUrl(text, allowed);
    if (!("problem" in checked)) return checked;
    problems.push(`Ignored ${key}: it ${checked.problem}.`);
  }
  return null;
};

const textIn = (root: JsonObject, key: string): string => {
  const value = root.get(key);
  if (typeof value === "string") return value;
  return isNumber(value) ? value.number : "";
};

const refused = (refusal: string): DocumentOutcome => ({ ok: false, refusal, isPermanent: true });
