/** The parts of a data: URL (RFC 2397). The data is not yet decoded. */
export interface DataUrl {
  /** The media type without parameters, in lower case; "" if there is none. */
  readonly type: string;
  readonly isBase64: boolean;
  readonly data: string;
}

/** The part before the data: the scheme, the media type with its parameters, and a comma. */
const prefix = /^\s*data:([^,]{0,200}),/i;

/** Parses a data: URL; null for other text. */
export const parseDataUrl = (url: string): DataUrl | null => {
  const match = prefix.exec(url);
  if (match === null) return null;
  const [type = "", ...parameters] = (match[1] ?? "").split(";").map((part) => part.trim().toLowerCase());
  return { type, isBase64: parameters.includes("base64"), data: url.slice(match[0].length) };
};

/**
 * Decodes the data; null if it is invalid base64. A # is part of the data, and a % that does not start an escape is literal: contracts often do not
 * encode their text.
 */
export const decodeData = ({ isBase64, data }: DataUrl): Buffer | null => {
  const text = unescapeBytes(data);
  if (!isBase64) return text;
  const digits = text.toString("latin1").replace(/\s+/g, "");
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(digits) ? Buffer.from(digits, "base64") : null;
};

/** Unescapes the text as Latin-1, in which each byte is one character. */
const unescapeBytes = (text: string): Buffer => {
  const bytes = Buffer.from(text).toString("latin1");
  return Buffer.from(
    bytes.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
    "latin1",
  );
};
