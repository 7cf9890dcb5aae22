/** A JSON value in which numbers keep their text. Objects are maps, so no key is special. */
export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject;
export interface JsonNumber {
  readonly number: string;
}
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** Max nesting depth. */
const maxDepth = 64;
const whitespace = /[ \t\n\r]*/y;
/** RFC 8259, section 6. */
const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const literals: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const literalPattern = /true|false|null/y;

/**
 * Parses JSON (RFC 8259) and keeps numbers as text: JSON.parse rounds them to 53 bits. The last value of a duplicate key wins. Control characters may be
 * unescaped in strings, as in many contracts' documents. @throws {SyntaxError} if the text is not JSON or is nested too deeply.
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
  const consume = (character: string): boolean => {
    skip(whitespace);
    if (text[at] !== character) return false;
    at += 1;
    return true;
  };

  const parseString = (): string => {
    let end = at + 1;
    while (text[end] !== '"') {
      if (end >= text.length) {
        at = end;
        fail();
      }
      end += text[end] === "\\" ? 2 : 1;
    }
    const quoted = text.slice(at, end + 1).replace(/\p{Cc}/gu, escapeControl);
    try {
      const value = JSON.parse(quoted) as string;
      at = end + 1;
      return value;
    } catch {
      return fail();
    }
  };

  const parseObject = (depth: number): JsonObject => {
    const entries = new Map<string, JsonValue>();
    if (consume("}")) return entries;
    do {
      skip(whitespace);
      if (text[at] !== '"') fail();
      const key = parseString();
      if (!consume(":")) fail();
      entries.set(key, parseValue(depth));
    } while (consume(","));
    if (!consume("}")) fail();
    return entries;
  };

  const parseArray = (depth: number): readonly JsonValue[] => {
    const items: JsonValue[] = [];
    if (consume("]")) return items;
    do items.push(parseValue(depth));
    while (consume(","));
    if (!consume("]")) fail();
    return items;
  };

  const parseValue = (depth: number): JsonValue => {
    if (depth > maxDepth) throw new SyntaxError(`more than ${maxDepth} levels of nesting`);
    if (consume("{")) return parseObject(depth + 1);
    if (consume("[")) return parseArray(depth + 1);
    if (text[at] === '"') return parseString();
    const number = skip(numberPattern);
    if (number !== "") return { number };
    const literalValue = literals.get(skip(literalPattern));
    return literalValue === undefined ? fail() : literalValue;
  };

  const root = parseValue(0);
  skip(whitespace);
  return at === text.length ? root : fail();
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

const decimalNotation = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;
/** Longer numbers are useless for comparison, and exceed the database's limits. */
const maxDigits = 1000;

/** The exact decimal notation of a number; null if the text is not a number or has too many digits. */
export const plainNumber = (text: string): string | null => {
  const parts = decimalNotation.exec(text);
  if (parts === null || text.length > maxDigits) return null;
  const [, sign = "", integer = "", fraction = "", power = "0"] = parts;
  const digits = integer + fraction;
  if (/^0*$/.test(digits)) return "0";
  const point = integer.length + Number(power);
  if (Math.abs(point) > maxDigits) return null;
  const padded = point <= 0 ? "0".repeat(1 - point) + digits : digits.padEnd(point, "0");
  const split = Math.max(point, 1);
  const before = padded.slice(0, split).replace(/^0+(?=[0-9])/, "");
  const after = trimTrailingZeros(padded.slice(split));
  return `${sign}${before}${after === "" ? "" : `.${after}`}`;
};

/** Loops from the end: a regular expression would restart at each inner zero. */
const trimTrailingZeros = (digits: string): string => {
  let end = digits.length;
  while (digits[end - 1] === "0") end -= 1;
  return digits.slice(0, end);
};
