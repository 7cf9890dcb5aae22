/** The parts of a data: URL (RFC 2397), its data not yet decoded. */
export interface DataUrl {
  /** The media type without parameters, in lower case; "" if there is none. */
  readonly type: string;
  readonly isBase64: boolean;
  readonly data: string;
}

/** The scheme, the media type with its parameters, a comma. */
const head = /^\s*data:([^,]{0,200}),/i;

/** Parses a data: URL; null for other text. */
export const parseDataUrl = (url: string): DataUrl | null => {
  const found = head.exec(url);
  if (found === null) return null;
  const [type = "", ...parameters] = (found[1] ?? "").split(";").map((part) => part.trim().toLowerCase());
  return { type, isBase64: parameters.includes("base64"), data: url.slice(found[0].length) };
};

/**
 * Decodes the data; null for invalid base64. A # is part of the data, and a % that starts no escape is literal: contracts often do not encode their
 * text.
 */
export const decodeData = ({ isBase64, data }: DataUrl): Buffer | null => {
  const text = unescapeBytes(data);
  if (!isBase64) return text;
  const digits = text.toString("latin1").replace(/\s+/g, "");
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(digits) ? Buffer.from(digits, "base64") : null;
};

/** By way of Latin-1, where each byte is one character. */
const unescapeBytes = (text: string): Buffer => {
  const bytes = Buffer.from(text).toString("latin1");
  return Buffer.from(
    bytes.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    "latin1",
  );
};
