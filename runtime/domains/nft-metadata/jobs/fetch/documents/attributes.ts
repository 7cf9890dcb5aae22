import { cleanLine } from "./clean-text.ts";
import type { CountedAttribute, NftAttribute } from "./document.ts";
import { isNumber, isObject, type JsonObject, type JsonValue, plainNumber, renderJson } from "./json-text.ts";

/** Max stored attributes per token. */
export const maxAttributes = 512;
const maxTraitLength = 256;
const maxValueLength = 1000;
/** Max characters of a trait or a value that filters compare. */
const maxCountedLength = 256;
const maxDepth = 4;

export interface Attributes {
  readonly attributes: readonly NftAttribute[] | null;
  readonly countedAttributes: readonly CountedAttribute[];
  /** Whether attributes beyond the maximum were omitted. */
  readonly isTruncated: boolean;
}

interface Trait {
  readonly trait: string | null;
  readonly value: JsonValue;
  readonly display: string;
}

const traitKeys = ["trait_type", "traitType", "trait", "key", "name"];
const valueKeys = ["value", "val"];

/** A document's traits in any of the common shapes: lists of pairs or single values, or objects, under attributes, traits or properties. */
export const readAttributes = (document: JsonObject): Attributes => {
  const traits: Trait[] = [];
  const sources = ["attributes", "traits", "properties"]
    .map((key) => document.get(key))
    .filter((value) => isObject(value) || Array.isArray(value));
  for (const value of sources) {
    if (traits.length === 0) collect(traits, null, value as JsonValue, 0);
  }
  const stored = traits.slice(0, maxAttributes);
  const attributes = stored.map(toAttribute);
  return {
    attributes: sources.length === 0 ? null : attributes.map(({ trait_type, value }) => ({ trait_type, value })),
    countedAttributes: attributes.flatMap(({ trait_type, value, number }) =>
      trait_type === null ? [] : [{ trait: truncate(trait_type), value: value === null ? null : truncate(value), number }],
    ),
    isTruncated: traits.length > maxAttributes,
  };
};

/** Collects the traits in a value, up to one more than the maximum, to detect truncation. */
const collect = (traits: Trait[], trait: string | null, value: JsonValue, depth: number): void => {
  if (traits.length > maxAttributes || depth > maxDepth) return;
  if (Array.isArray(value)) {
    for (const item of value) if (item !== null || trait !== null) collect(traits, trait, item, depth + 1);
  } else if (!isObject(value)) traits.push({ trait, value, display: "" });
  else if (isPair(value)) collectPair(traits, trait, value, depth);
  else if (trait !== null && depth > 1) traits.push({ trait, value, display: "" });
  else for (const [key, item] of value) collect(traits, key, item, depth + 1);
};

const isPair = (object: JsonObject): boolean =>
  valueKeys.some((key) => object.has(key)) || traitKeys.slice(0, 3).some((key) => object.has(key));

const collectPair = (traits: Trait[], outerName: string | null, pair: JsonObject, depth: number): void => {
  const name = traitKeys.map((key) => textOf(pair.get(key) ?? null)).find((text) => text !== null) ?? outerName;
  const value = valueKeys.map((key) => pair.get(key)).find((item) => item !== undefined) ?? null;
  const display = textOf(pair.get("display_type") ?? null)?.toLowerCase() ?? "";
  if (Array.isArray(value)) collect(traits, name, value, depth + 1);
  else traits.push({ trait: name, value, display });
};

const toAttribute = ({ trait, value, display }: Trait): NftAttribute & { readonly number: string | null } => {
  const number = numberOf(value, display);
  const text = (display === "date" && number !== null ? timeOf(number) : null) ?? textOf(value);
  return {
    trait_type: trait === null ? null : cleanLine(trait, maxTraitLength),
    value: text === null ? null : cleanLine(text, maxValueLength),
    number,
  };
};

/** A JSON number, or a string of digits with a numeric display type. */
const numberOf = (value: JsonValue, display: string): string | null => {
  if (isNumber(value)) return plainNumber(value.number);
  const isNumeric = ["number", "boost_number", "boost_percentage", "date"].includes(display);
  return isNumeric && typeof value === "string" ? plainNumber(value.trim()) : null;
};

const textOf = (value: JsonValue): string | null => {
  if (value === null) return null;
  if (typeof value === "string") return value;
  return isNumber(value) ? (plainNumber(value.number) ?? value.number) : renderJson(value);
};

/** Parses seconds since 1970, or milliseconds if seconds would be thousands of years away. */
const timeOf = (number: string): string | null => {
  const seconds = Number(number) > 100_000_000_000 ? Number(number) / 1000 : Number(number);
  const date = new Date(Math.floor(seconds) * 1000);
  return Number.isNaN(date.getTime()) || seconds < 0 ? null : date.toISOString().replace(".000Z", "Z");
};

const truncate = (text: string): string => [...text].slice(0, maxCountedLength).join("");
