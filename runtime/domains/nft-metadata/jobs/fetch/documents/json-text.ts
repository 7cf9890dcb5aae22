/** A JSON value whose numbers keep their text. Objects are maps, so no key is special. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;
export interface JsonNumber {
  readonly number: string;
}
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** The maximum nesting of a document. */
const maxDepth = 64;
const space = /[ \t\n\r]*/y;
/** RFC 8259, section 6. */
const numeral = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const literals: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const literal = /true|false|null/y;

/**
 * Parses JSON (RFC 8259) and keeps numbers as text: JSON.parse rounds them to 53 bits. The last value of a duplicate key counts. Control characters may be
 * unescaped in strings, as in the documents of many contracts. @throws {SyntaxError} for other text, or for nesting that is too deep.
 */
export const parseJsonText = (text: string): JsonValue => {
  let at = 0;

  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? "";
    at += found.length;
    return found;
  };
  const fail = (): never => {
    throw new SyntaxError(at >= text.length ? "unexpected end" : `unexpected character at position ${at + 1}`);
  };
  const take = (character: string): boolean => {
    skip(space);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };

  const string = (): string => {
    let end = at + 1;
    while (text[end] !== '"') {
      if (end >= text.length) {
        at = end;
        fail();
      }
      end += text[end] === "\\" ? 2 : 1;
    }
    const written = text.slice(at, end + 1).replace(/\p{Cc}/gu, escapeControl);
    try {
      const value = JSON.parse(written) as string;
      at = end + 1;
      return value;
    } catch {
      return fail();
    }
  };

  const object = (depth: number): JsonObject => {
    const entries = new Map<string, JsonValue>();
    if (take("}")) return entries;
    do {
      skip(space);
      if (text[at] !== '"') fail();
      const key = string();
      if (!take(":")) fail();
      entries.set(key, value(depth));
    } while (take(","));
    if (!take("}")) fail();
    return entries;
  };

  const array = (depth: number): readonly JsonValue[] => {
    const items: JsonValue[] = [];
    if (take("]")) return items;
    do items.push(value(depth));
    while (take(","));
    if (!take("]")) fail();
    return items;
  };

  const value = (depth: number): JsonValue => {
    if (depth > maxDepth) throw new SyntaxError(`more than ${maxDepth} levels of nesting`);
    if (take("{")) return object(depth + 1);
    if (take("[")) return array(depth + 1);
    if (text[at] === '"') return string();
    const number = skip(numeral);
    if (number !== "") return { number };
    const word = literals.get(skip(literal));
    return word === undefined ? fail() : word;
  };

  const whole = value(0);
  skip(space);
  return at === text.length ? whole : fail();
};

const escapeControl = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

export const isNumber = (value: JsonValue | undefined): value is JsonNumber =>
  typeof value === "object" && value !== null && "number" in value;
export const isObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map;

/** Serializes a value as compact JSON, its numbers unchanged. */
export const renderJson = (value: JsonValue): string => {
  if (isNumber(value)) return value.number;
  if (isObject(value)) return `{${[...value].map(([key, item]) => `${JSON.stringify(key)}:${renderJson(item)}`).join(",")}}`;
  return Array.isArray(value) ? `[${value.map(renderJson).join(",")}]` : JSON.stringify(value);
};

const written = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** Longer numbers are useless for comparison, and exceed the database's limits. */
const maxDigits = 1000;

/** The exact decimal notation of a number; null for too many digits or other text. */
export const plainNumber = (text: string): string | null => {
  const parts = written.exec(text);
  if (parts === null || text.length > maxDigits) return null;
  const [, sign = "", whole = "", fraction = "", power = "0"] = parts;
  const digits = whole + fraction;
  if (/^0*$/.test(digits)) return "0";
  const point = whole.length + Number(power);
  if (Math.abs(point) > maxDigits) return null;
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const split = Math.max(point, 1);
  const before = padded.slice(0, split).replace(/^0+(?=[0-9])/, "");
  const after = trimTrailingZeros(padded.slice(split));
  return `${sign}${before}${after === "" ? "" : `.${after}`}`;
};

/** By a loop from the end: a regular expression would restart at each zero inside. */
const trimTrailingZeros = (digits: string): string => {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
};
