export type Hex = `0x${string}`;

export interface Chain {
  readonly id: number;
  readonly name: string;
}

/** A parsed value, or a description of the expected values, such as "a whole number from 1 to 1000". */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly expected: string };

/** The value of an address parameter before its name is resolved. */
export type AddressReference = { readonly address: Hex } | { readonly name: string };

export interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface ListLimits {
  readonly maxItems?: number;
}

/** One strict parser per parameter type. Each receives trimmed, non-empty text. */
export interface ParameterParsers<Currency extends string> {
  chain(text: string): Parsed<Chain>;
  address(text: string): Parsed<AddressReference>;
  addressList(text: string, limits: ListLimits): Parsed<readonly AddressReference[]>;
  hash(text: string): Parsed<Hex>;
  topicList(text: string, limits: ListLimits): Parsed<readonly Hex[]>;
  height(text: string): Parsed<number | "latest">;
  block(text: string): Parsed<number | "earliest" | "latest">;
  date(text: string): Parsed<string>;
  dateOrLatest(text: string): Parsed<string>;
  integer(text: string, bounds: Bounds): Parsed<number>;
  boolean(text: string): Parsed<boolean>;
  currency(text: string): Parsed<Currency>;
  choice(text: string, values: readonly string[]): Parsed<string>;
  text(text: string): Parsed<string>;
  textList(text: string, limits: ListLimits): Parsed<readonly string[]>;
  tokenId(text: string): Parsed<bigint>;
  /** The address that a name is registered for, or null if there is none; the chain is null if the request has no chain. */
  resolveName(chain: Chain | null, name: string): Promise<Hex | null>;
  /** Null if the chain is in the endpoint's network group, otherwise the names of the configured chains in that group. */
  restriction(chain: Chain, group: string): readonly string[] | null;
  /** Describes the accepted addresses. */
  readonly addressExpected: string;
}

/** The bounds of page-size with format=csv: a CSV page is a download. */
export const csvPageSizeBounds: Bounds = { minimum: 1, maximum: 10_000 };

/** Parses a choice and narrows its type to the values. */
export function oneOf<Value extends string>(
  parsers: Pick<ParameterParsers<string>, "choice">,
  text: string,
  values: readonly Value[],
): Parsed<Value> {
  const parsed = parsers.choice(text, values);
  if (!parsed.ok) return parsed;
  const value = values.find((candidate) => candidate === parsed.value);
  return value === undefined ? { ok: false, expected: values.join(" or ") } : { ok: true, value };
}

/** Parses text of limited length. */
export function boundedText(parsers: Pick<ParameterParsers<string>, "text">, text: string, maxLength: number): Parsed<string> {
  return text.length > maxLength ? { ok: false, expected: `text of at most ${maxLength} characters` } : parsers.text(text);
}

/** Parses a page size that must be one of an endpoint's sizes. */
export function listedSize(parsers: Pick<ParameterParsers<string>, "integer">, text: string, sizes: readonly number[]): Parsed<number> {
  const parsed = parsers.integer(text, {});
  return parsed.ok && sizes.includes(parsed.value) ? parsed : { ok: false, expected: sizes.join(" or ") };
}
