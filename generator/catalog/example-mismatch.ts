import type { ScalarType } from "../../runtime/declarations/objects/field-definition.ts";
import type { Example, ParameterDefinition, ParameterType } from "./definition.ts";

/** Null for a matching value, otherwise a description of the expected values: "0x followed by 40 hex digits …". */
export type Mismatch = string | null;

interface Format {
  readonly expected: string;
  matches(value: unknown): boolean;
}

const address = /^0x[0-9a-fA-F]{40}$/;
const name = /^(?!0x)[^\s,/.]+(?:\.[^\s,/.]+)+$/;
/** Does not verify the checksum. */
const bitcoinAddress = /^(?:[1-9A-HJ-NP-Za-km-z]{25,35}|(?:bc|tb|bcrt)1[02-9ac-hj-np-z]{11,85})$/;
const hash = /^0x[0-9a-fA-F]{64}$/;
// Leading zeros of a topic may be omitted.
const topic = /^0x[0-9a-fA-F]{1,64}$/;
const decimal = /^(?:0|[1-9]\d*)$/;
const isoTimestamp = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;
/** Token ids are uint256 (EIP-721, EIP-1155). */
const tokenIdLimit = 2n ** 256n;

const isText = (value: unknown, pattern: RegExp) => typeof value === "string" && pattern.test(value);
const isHeight = (value: unknown) => (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) || isText(value, decimal);

function isDay(value: unknown): boolean {
  if (typeof value !== "string" || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const time = Date.parse(`${value}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(value);
}

function isTimestamp(value: unknown): boolean {
  return typeof value === "string" && isDay(isoTimestamp.exec(value)?.[1]);
}

function isUrl(value: unknown): boolean {
  return typeof value === "string" && !/\s/.test(value) && URL.canParse(value);
}

const isAddress = (value: unknown) => isText(value, address) || isText(value, name);
const dateFormat = "a valid date as YYYY-MM-DD in quotes";
const addressFormat = "0x followed by 40 hex digits in quotes, or a registered name";

const scalars: Record<ScalarType, Format> = {
  string: { expected: "text", matches: (value) => typeof value === "string" },
  number: { expected: "a number", matches: (value) => typeof value === "number" && Number.isFinite(value) },
  integer: { expected: "a whole number", matches: (value) => Number.isSafeInteger(value) },
  boolean: { expected: "true or false", matches: (value) => typeof value === "boolean" },
  timestamp: { expected: "an ISO 8601 time in UTC such as 2026-01-31T12:00:00Z", matches: isTimestamp },
  bigint: { expected: "a quoted decimal integer", matches: (value) => isText(value, /^-?(?:0|[1-9]\d*)$/) && value !== "-0" },
  address: { expected: "0x followed by 40 lower-case hex digits in quotes", matches: (value) => isText(value, /^0x[0-9a-f]{40}$/) },
  hash: { expected: "0x followed by 64 lower-case hex digits in quotes", matches: (value) => isText(value, /^0x[0-9a-f]{64}$/) },
  hex: { expected: "0x followed by lower-case hex digits in quotes", matches: (value) => isText(value, /^0x[0-9a-f]*$/) },
  url: { expected: "an absolute URL", matches: isUrl },
  date: { expected: dateFormat, matches: isDay },
};

const parameters: Record<Exclude<ParameterType, "integer" | "choice" | "currency" | "text" | ListType>, Format> = {
  chain: { expected: "a chain's name or its id in quotes", matches: (value) => isText(value, /^[a-z0-9]+(?:-[a-z0-9]+)*$/) },
  address: { expected: addressFormat, matches: isAddress },
  bitcoinAddress: { expected: "a Bitcoin address", matches: (value) => isText(value, bitcoinAddress) },
  hash: { expected: "0x followed by 64 hex digits in quotes", matches: (value) => isText(value, hash) },
  height: { expected: "a decimal block height or latest", matches: (value) => isHeight(value) || value === "latest" },
  block: {
    expected: "a decimal or 0x-prefixed hex block height, earliest or latest",
    matches: (value) => isHeight(value) || isText(value, /^(?:0x[0-9a-fA-F]+|earliest|latest)$/),
  },
  date: { expected: dateFormat, matches: isDay },
  dateOrLatest: { expected: `${dateFormat}, or latest`, matches: (value) => isDay(value) || value === "latest" },
  boolean: { expected: "true or false without quotes", matches: (value) => typeof value === "boolean" },
  tokenId: {
    expected: "a quoted decimal integer below 2^256",
    matches: (value) => typeof value === "string" && decimal.test(value) && BigInt(value) < tokenIdLimit,
  },
};

type ListType = "addressList" | "topicList" | "textList";

const lists: Record<ListType, Format> = {
  addressList: { expected: `${addressFormat}, comma-separated`, matches: isAddress },
  topicList: { expected: "0x followed by up to 64 hex digits, comma-separated, in quotes", matches: (value) => isText(value, topic) },
  textList: { expected: "a comma-separated list of strings", matches: (value) => isText(value, /\S/) },
};

/** Compares an example or a default with its parameter's definition. */
export function parameterMismatch(definition: ParameterDefinition, value: Example): Mismatch {
  switch (definition.type) {
    case "integer":
      return integerMismatch(definition, value);
    case "choice":
      return valuesMismatch(definition.values, value);
    case "currency":
      return definition.values === undefined ? formatMismatch(currency, value) : valuesMismatch(definition.values, value);
    case "text":
      return formatMismatch(textFormat(definition.maximum), value);
    case "addressList":
    case "topicList":
    case "textList":
      return listMismatch(lists[definition.type], definition.maxItems, value);
    default:
      return formatMismatch(parameters[definition.type], value);
  }
}

/** Compares an example with a scalar type and, if the field lists any, its values. */
export function scalarMismatch(type: ScalarType, values: readonly string[] | undefined, value: unknown): Mismatch {
  return formatMismatch(scalars[type], value) ?? valuesMismatch(values, value);
}

/** Whether a value is a reference to a story value; the name in it may be malformed. */
export function isStoryReference(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("story:");
}

/** Checks the format of a reference to a story value. */
export function storyMismatch(value: string): Mismatch {
  return /^story:[a-z][A-Za-z0-9]*$/.test(value) ? null : "story: followed by a camelCase name, such as story:trader";
}

const currency: Format = {
  expected: "a currency code of three capital letters such as USD",
  matches: (value) => isText(value, /^[A-Z]{3}$/),
};

function formatMismatch(format: Format, value: unknown): Mismatch {
  return format.matches(value) ? null : format.expected;
}

function valuesMismatch(values: readonly string[] | undefined, value: unknown): Mismatch {
  return values === undefined || (typeof value === "string" && values.includes(value)) ? null : values.join(", ");
}

function textFormat(maximum: number | undefined): Format {
  const limit = maximum ?? Number.POSITIVE_INFINITY;
  const expected = maximum === undefined ? "non-empty text" : `text of 1 to ${maximum} characters`;
  return { expected, matches: (value) => typeof value === "string" && value.trim() !== "" && value.length <= limit };
}

function integerMismatch({ minimum, maximum }: ParameterDefinition, value: Example): Mismatch {
  const low = minimum ?? Number.NEGATIVE_INFINITY;
  const high = maximum ?? Number.POSITIVE_INFINITY;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= low && value <= high) return null;
  const bounds = [minimum === undefined ? "" : ` from ${minimum}`, maximum === undefined ? "" : ` to ${maximum}`].join("");
  return `a whole number${bounds} without quotes`;
}

function listMismatch(element: Format, maxItems: number | undefined, value: Example): Mismatch {
  const expected = maxItems === undefined ? element.expected : `${element.expected}, at most ${maxItems} items`;
  const items = typeof value === "string" ? value.split(",") : [value];
  return items.length <= (maxItems ?? Number.POSITIVE_INFINITY) && items.every((item) => element.matches(item)) ? null : expected;
}
