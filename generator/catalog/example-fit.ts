import type { Example, ParameterDefinition, ParameterType, ScalarType } from "./definition.ts";

/** Null for a value that matches, otherwise a description of the accepted values: "0x and 40 hex digits …". */
export type Mismatch = string | null;

interface Form {
  readonly accepted: string;
  fits(value: unknown): boolean;
}

const address = /^0x[0-9a-fA-F]{40}$/;
const name = /^(?!0x)[^\s,/.]+(?:\.[^\s,/.]+)+$/;
const hash = /^0x[0-9a-fA-F]{64}$/;
// Leading zeros of a topic may be omitted.
const topic = /^0x[0-9a-fA-F]{1,64}$/;
const decimal = /^(?:0|[1-9]\d*)$/;
const isoSecond = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;
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
  return typeof value === "string" && isDay(isoSecond.exec(value)?.[1]);
}

function isUrl(value: unknown): boolean {
  return typeof value === "string" && !/\s/.test(value) && URL.canParse(value);
}

const isAddress = (value: unknown) => isText(value, address) || isText(value, name);
const days = "a real day as YYYY-MM-DD in quotes";
const addresses = "0x and 40 hex digits in quotes, or a registered name";

const scalars: Record<ScalarType, Form> = {
  string: { accepted: "text", fits: (value) => typeof value === "string" },
  number: { accepted: "a number", fits: (value) => typeof value === "number" && Number.isFinite(value) },
  integer: { accepted: "a whole number", fits: (value) => Number.isSafeInteger(value) },
  boolean: { accepted: "true or false", fits: (value) => typeof value === "boolean" },
  timestamp: { accepted: "an ISO 8601 time in UTC such as 2026-01-31T12:00:00Z", fits: isTimestamp },
  bigint: { accepted: "a whole decimal number in quotes", fits: (value) => isText(value, /^-?(?:0|[1-9]\d*)$/) && value !== "-0" },
  address: { accepted: "0x and 40 lower-case hex digits in quotes", fits: (value) => isText(value, /^0x[0-9a-f]{40}$/) },
  hash: { accepted: "0x and 64 lower-case hex digits in quotes", fits: (value) => isText(value, /^0x[0-9a-f]{64}$/) },
  hex: { accepted: "0x and lower-case hex digits in quotes", fits: (value) => isText(value, /^0x[0-9a-f]*$/) },
  url: { accepted: "an absolute URL", fits: isUrl },
  date: { accepted: days, fits: isDay },
};

const parameters: Record<Exclude<ParameterType, "integer" | "choice" | "currency" | "text" | ListType>, Form> = {
  chain: { accepted: "a chain's name or its id in quotes", fits: (value) => isText(value, /^[a-z0-9]+(?:-[a-z0-9]+)*$/) },
  address: { accepted: addresses, fits: isAddress },
  hash: { accepted: "0x and 64 hex digits in quotes", fits: (value) => isText(value, hash) },
  height: { accepted: "a decimal height or latest", fits: (value) => isHeight(value) || value === "latest" },
  block: {
    accepted: "a decimal or 0x height, earliest or latest",
    fits: (value) => isHeight(value) || isText(value, /^(?:0x[0-9a-fA-F]+|earliest|latest)$/),
  },
  date: { accepted: days, fits: isDay },
  dateOrLatest: { accepted: `${days}, or latest`, fits: (value) => isDay(value) || value === "latest" },
  boolean: { accepted: "true or false without quotes", fits: (value) => typeof value === "boolean" },
  tokenId: {
    accepted: "a whole decimal number below 2^256 in quotes",
    fits: (value) => typeof value === "string" && decimal.test(value) && BigInt(value) < tokenIdLimit,
  },
};

type ListType = "addressList" | "topicList" | "textList";

const lists: Record<ListType, Form> = {
  addressList: { accepted: `${addresses}, comma-separated`, fits: isAddress },
  topicList: { accepted: "0x and up to 64 hex digits, comma-separated, in quotes", fits: (value) => isText(value, topic) },
  textList: { accepted: "texts, comma-separated", fits: (value) => isText(value, /\S/) },
};

/** Compares an example or default with its parameter. */
export function parameterMismatch(definition: ParameterDefinition, value: Example): Mismatch {
  switch (definition.type) {
    case "integer":
      return integerMismatch(definition, value);
    case "choice":
      return valuesMismatch(definition.values, value);
    case "currency":
      return definition.values === undefined ? formMismatch(currency, value) : valuesMismatch(definition.values, value);
    case "text":
      return formMismatch(textForm(definition.maximum), value);
    case "addressList":
    case "topicList":
    case "textList":
      return listMismatch(lists[definition.type], definition.maxItems, value);
    default:
      return formMismatch(parameters[definition.type], value);
  }
}

/** Compares an example with one scalar of a field. */
export function scalarMismatch(type: ScalarType, values: readonly string[] | undefined, value: unknown): Mismatch {
  return formMismatch(scalars[type], value) ?? valuesMismatch(values, value);
}

/** Whether a value is a reference to the demo's story; its name may still be malformed. */
export function isStoryReference(value: unknown): value is string {
  return typeof value === "string" && value.startsWith("story:");
}

/** Checks the form of a reference to the story. */
export function storyMismatch(value: string): Mismatch {
  return /^story:[a-z][A-Za-z0-9]*$/.test(value) ? null : "story: and a camelCase name, such as story:trader";
}

const currency: Form = { accepted: "the three capitals of a currency such as USD", fits: (value) => isText(value, /^[A-Z]{3}$/) };

function formMismatch(form: Form, value: unknown): Mismatch {
  return form.fits(value) ? null : form.accepted;
}

function valuesMismatch(values: readonly string[] | undefined, value: unknown): Mismatch {
  return values === undefined || (typeof value === "string" && values.includes(value)) ? null : values.join(", ");
}

function textForm(maximum: number | undefined): Form {
  const limit = maximum ?? Number.POSITIVE_INFINITY;
  const accepted = maximum === undefined ? "text that is not empty" : `text of 1 to ${maximum} characters`;
  return { accepted, fits: (value) => typeof value === "string" && value.trim() !== "" && value.length <= limit };
}

function integerMismatch({ minimum, maximum }: ParameterDefinition, value: Example): Mismatch {
  const low = minimum ?? Number.NEGATIVE_INFINITY;
  const high = maximum ?? Number.POSITIVE_INFINITY;
  if (typeof value === "number" && Number.isSafeInteger(value) && value >= low && value <= high) return null;
  const bounds = [minimum === undefined ? "" : ` from ${minimum}`, maximum === undefined ? "" : ` to ${maximum}`].join("");
  return `a whole number${bounds} without quotes`;
}

function listMismatch(element: Form, maxItems: number | undefined, value: Example): Mismatch {
  const accepted = maxItems === undefined ? element.accepted : `${element.accepted}, at most ${maxItems}`;
  const items = typeof value === "string" ? value.split(",") : [value];
  return items.length <= (maxItems ?? Number.POSITIVE_INFINITY) && items.every((item) => element.fits(item)) ? null : accepted;
}
