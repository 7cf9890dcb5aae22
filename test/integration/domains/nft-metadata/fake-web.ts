import type { DocumentOutcome, NftDocument, ReadDocument } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";

interface Json {
  readonly name?: string;
  readonly image?: string;
  readonly attributes?: readonly { readonly trait_type: string; readonly value?: string | number | null }[];
}

/** Parses a well-formed document. The reader's tests cover all other documents. */
export const documentOf = (text: string): NftDocument => {
  const { name, image, attributes } = JSON.parse(text) as Json;
  const countedAttributes = (attributes ?? []).map(({ trait_type: trait, value }) => ({
    trait,
    value: value === null || value === undefined ? null : String(value),
    number: typeof value === "number" ? String(value) : null,
  }));
  return {
    text,
    name: name ?? null,
    description: null,
    image: image ?? null,
    animationUrl: null,
    externalUrl: null,
    owner: null,
    attributes: attributes === undefined ? null : countedAttributes.map(({ trait, value }) => ({ trait_type: trait, value })),
    countedAttributes,
    assetBytes: image?.startsWith("data:") === true ? image.length : null,
    refusal: null,
  };
};

export const dataUrl = (json: Json): string => `data:application/json;base64,${Buffer.from(JSON.stringify(json)).toString("base64")}`;

const prefix = "data:application/json;base64,";

/** Reads the document inside a data: URL. */
export const readInline = (url: string): DocumentOutcome =>
  url.startsWith(prefix)
    ? { ok: true, document: documentOf(Buffer.from(url.slice(prefix.length), "base64").toString("utf8")) }
    : { ok: false, refusal: "Not found.", isPermanent: true };

/** Creates a reader that responds to URLs by their prefix, as `hosts` defines. Other URLs are read as data: URLs. */
export const createFakeWeb = (hosts: Readonly<Record<string, (url: string) => DocumentOutcome | Promise<DocumentOutcome>>> = {}) => {
  const requests: string[] = [];
  const read: ReadDocument = async (url) => {
    requests.push(url);
    const host = Object.entries(hosts).find(([start]) => url.startsWith(start))?.[1];
    return host === undefined ? readInline(url) : host(url);
  };
  return { read, requests };
};
