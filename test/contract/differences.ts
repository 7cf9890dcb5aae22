import type { Parameter } from "../../generator/model/model.ts";
import type { Changes, RequestCase } from "./request-cases.ts";
import { chains, registeredName } from "./values.ts";

/**
 * A kind of request that the generated request code and express-openapi-validator handle differently.
 * `applies` is exact: true for every request of the kind, and false for every request that both handle the same way.
 */
export interface Difference {
  readonly kind: string;
  readonly reason: string;
  /** The result of the request code; express-openapi-validator has the opposite result. */
  readonly generated: "accepts" | "rejects";
  readonly applies: (request: RequestCase) => boolean;
  /** An example: an operation and the changes to its minimal request. */
  readonly example: { readonly operation: string } & Changes;
}

const lists = ["addressList", "topicList", "textList"];
const elementsOf = ({ type }: Parameter, text: string): string[] => (lists.includes(type) ? text.split(",") : [text]);
const isBlank = (text: string): boolean => text.trim() === "";

/** Returns a predicate for requests that is true if the given one holds for any parameter that was sent once. */
const anyParameter =
  (predicate: (parameter: Parameter, text: string, request: RequestCase) => boolean) =>
  (request: RequestCase): boolean =>
    request.operation.parameters.some((parameter) => {
      const [text, ...repeated] = request.values[parameter.name] ?? [];
      return text !== undefined && repeated.length === 0 && predicate(parameter, text, request);
    });

/** Returns a predicate for requests that is true if the given one holds for the trimmed, non-blank text of any parameter of the given types. */
const anyTrimmed = (types: readonly string[], predicate: (text: string, parameter: Parameter, request: RequestCase) => boolean) =>
  anyParameter(
    (parameter, text, request) => types.includes(parameter.type) && !isBlank(text) && predicate(text.trim(), parameter, request),
  );

const sentText = (request: RequestCase, { name }: Parameter): string => request.values[name]?.[0]?.trim() ?? "";

/** Whether a value is valid according to the document's schema for an integer parameter. */
function isInBounds({ minimum, maximum, sizes }: Parameter, value: number): boolean {
  return sizes === null ? value >= (minimum ?? 0) && value <= (maximum ?? Number.MAX_SAFE_INTEGER) : sizes.includes(value);
}

function isCalendarDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.split("-").map(Number);
  const lengths = [31, year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return year >= 1970 && day >= 1 && day <= (lengths[month - 1] ?? 0);
}

function isDescending(first: string, last: string): boolean {
  const numbers = [first, last].map((text) => (/^(?:0x[0-9a-f]+|\d+)$/i.test(text) ? BigInt(text) : null));
  const [low = null, high = null] = numbers;
  if (low !== null && high !== null) return low > high;
  return isCalendarDay(first) && isCalendarDay(last) && first > last;
}

function breaksRule(request: RequestCase): boolean {
  return request.operation.rules.some((rule) => {
    const sent = rule.parameters.map((parameter) => sentText(request, parameter)).filter((text) => text !== "");
    if (rule.kind === "exclusive") return sent.length > 1;
    if (rule.kind === "together") return sent.length > 0 && sent.length < rule.parameters.length;
    const [first = "", last = ""] = sent;
    return sent.length === 2 && isDescending(first, last);
  });
}

/** All known differences. */
export const differences: readonly Difference[] = [
  {
    kind: "a path without the trailing slash",
    reason: "Both paths return the same response; the validator accepts only the documented one.",
    generated: "accepts",
    applies: ({ target }) => target.startsWith("/v1/") && !/\/(?:\?|$)/.test(target),
    example: { operation: "getAllChains", target: () => "/v1/chains" },
  },
  {
    kind: "xy%3Dk instead of xy=k",
    reason: "Both are equivalent (RFC 3986, section 6.2.2), and clients send both; the validator compares paths without decoding them.",
    generated: "accepts",
    applies: ({ target }) => target.includes("/xy%3Dk/"),
    example: { operation: "getSupportedDexes", target: () => "/v1/xy%3Dk/supported_dexes/" },
  },
  {
    kind: "white space around a value",
    reason:
      "Values are trimmed, including those in lists, which a schema cannot express. The validator trims only numbers, and accepts free text unchanged.",
    generated: "accepts",
    applies: anyTrimmed(
      [
        "chain",
        "address",
        "addressList",
        "hash",
        "topicList",
        "height",
        "block",
        "date",
        "dateOrLatest",
        "boolean",
        "currency",
        "choice",
        "tokenId",
      ],
      (_text, parameter, request) => elementsOf(parameter, request.values[parameter.name]?.[0] ?? "").some((text) => text !== text.trim()),
    ),
    example: { operation: "getTransaction", values: { chainName: [" demo "] } },
  },
  {
    kind: "an empty query value",
    reason: "It is treated as absent, because forms and spreadsheets send all their fields; the validator reads it as 0 or as free text.",
    generated: "accepts",
    applies: anyParameter((parameter, text) => {
      if (parameter.in === "path" || parameter.required || !isBlank(text)) return false;
      const isValidForValidator = parameter.type === "integer" ? isInBounds(parameter, 0) : ["text", "textList"].includes(parameter.type);
      return text === "" || !isValidForValidator;
    }),
    example: { operation: "getBlockHeights", values: { "page-number": [""] } },
  },
  {
    kind: "a blank path value",
    reason: "A path value cannot be absent, and a blank value is empty after trimming; the validator reads it as 0 or as free text.",
    generated: "rejects",
    applies: anyParameter((parameter, text) => {
      const isValidForValidator = parameter.type === "text" || (parameter.type === "integer" && isInBounds(parameter, 0));
      return parameter.in === "path" && isBlank(text) && isValidForValidator;
    }),
    example: { operation: "getPools", values: { dexName: ["  "] } },
  },
  {
    kind: "a currency in lower or mixed case",
    reason: "Currencies are accepted in any case; the document's enum lists only one case for readability.",
    generated: "accepts",
    applies: anyTrimmed(["currency"], (text) => text !== text.toUpperCase() && ["USD", "EUR"].includes(text.toUpperCase())),
    example: { operation: "getGasPrices", values: { "quote-currency": ["eur"] } },
  },
  {
    kind: "a page size that only CSV accepts",
    reason: "With format=csv, a page is a download of 1 to 10,000 rows; a parameter's schema cannot depend on another parameter.",
    generated: "accepts",
    applies: anyParameter((parameter, text, request) => {
      if (parameter.name !== "page-size" || request.values.format?.[0] !== "csv") return false;
      return Number(text) >= 1 && Number(text) <= 10_000 && !isInBounds(parameter, Number(text));
    }),
    example: { operation: "getTokenHolders", values: { "page-size": ["5000"], format: ["csv"] } },
  },
  {
    kind: "a number in a format other than decimal",
    reason:
      "Only plain decimals are accepted; the validator accepts everything that Number() parses, and does not compare Infinity with bounds.",
    generated: "rejects",
    applies: anyTrimmed(["integer"], (text, parameter) => {
      const value = Number(text);
      if (text === "Infinity") return parameter.sizes === null;
      return text !== String(value) && Number.isInteger(value) && isInBounds(parameter, value);
    }),
    example: { operation: "getBlockHeights", values: { "page-size": ["0x10"] } },
  },
  {
    kind: "a height above 2^53 - 1",
    reason: "Heights must be exact numbers; the document's pattern limits the format, not the value.",
    generated: "rejects",
    applies: anyTrimmed(
      ["height", "block"],
      (text, { type }) =>
        (/^[1-9]\d*$/.test(text) || (type === "block" && /^0x[0-9a-f]{1,64}$/i.test(text))) && BigInt(text) > Number.MAX_SAFE_INTEGER,
    ),
    example: { operation: "getBlock", values: { blockHeight: ["9007199254740992"] } },
  },
  {
    kind: "a date that does not exist, or that is before 1970",
    reason:
      "A pattern cannot express the days of a month; no chain is older than 1970; the validator does not check the format `date` in requests.",
    generated: "rejects",
    applies: anyTrimmed(["date", "dateOrLatest"], (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !isCalendarDay(text)),
    example: { operation: "getBlockHeights", values: { startDate: ["2026-02-30"] } },
  },
  {
    kind: "an unknown chain",
    reason: "The operator configures the chains; the document does not list them.",
    generated: "rejects",
    applies: anyTrimmed(
      ["chain"],
      (text) => /^[a-z0-9][a-z0-9-]*$/.test(text) && !chains.some(({ id, name }) => text === String(id) || text === name),
    ),
    example: { operation: "getLogs", values: { chainName: ["unknown"] } },
  },
  {
    kind: "a chain outside the endpoint's network group",
    reason: "The operator configures an endpoint's chains; the document does not list them.",
    generated: "rejects",
    applies: anyTrimmed(["chain"], (text, _parameter, { operation: { networks } }) => {
      const chain = chains.find(({ id, name }) => text === String(id) || text === name);
      return networks !== null && chain !== undefined && !chain.groups.some((group) => group === networks);
    }),
    example: { operation: "getHistoricalTokenBalancesForWalletAddress", values: { chainName: ["eth-mainnet"] } },
  },
  {
    kind: "a name that is not registered",
    reason: "Names are resolved on the chain; the document can only describe their format.",
    generated: "rejects",
    applies: anyTrimmed(["address", "addressList"], (text, parameter) => {
      const elements = elementsOf(parameter, text).map((element) => element.trim());
      const isName = (element: string): boolean => /^[^\s.,/\\?%@:;"<>]+(?:\.[^\s.,/\\?%@:;"<>]+)+$/.test(element);
      const isWellFormed = elements.every((element) => isName(element) || /^0x[0-9a-f]{40}$/i.test(element));
      return isWellFormed && elements.some((element) => isName(element) && element.toLowerCase() !== registeredName);
    }),
    example: { operation: "getNativeTokenBalance", values: { walletAddress: ["bob.eth"] } },
  },
  {
    kind: "parameters that are individually valid but not in combination",
    reason: "Some parameters exclude or require each other, and a range must ascend; OpenAPI has no rules between parameters.",
    generated: "rejects",
    applies: breaksRule,
    example: { operation: "getBlockHeights", values: { startDate: ["2026-01-02"], endDate: ["2026-01-01"] } },
  },
  {
    kind: "a token id of 2^256 or more",
    reason: "Ids are uint256; the document's pattern limits their length, not their value.",
    generated: "rejects",
    applies: anyTrimmed(["tokenId"], (text) => /^[1-9]\d{0,77}$/.test(text) && BigInt(text) >= 2n ** 256n),
    example: { operation: "getNftMetadataForGivenTokenIdForContract", values: { tokenId: [String(2n ** 256n)] } },
  },
  {
    kind: "control characters in free text",
    reason: "No name contains control characters, and PostgreSQL cannot store NUL; the document does not restrict free text.",
    generated: "rejects",
    applies: anyTrimmed(["text", "textList"], (text, { maximum }) => /\p{Cc}/u.test(text) && text.length <= (maximum ?? 1024)),
    example: { operation: "getPools", values: { dexName: ["a\u0000b"] } },
  },
  {
    kind: "a list that is sent twice",
    reason:
      "A list is one value with commas, and every parameter may be sent only once; the validator reads a repeated parameter as a list.",
    generated: "rejects",
    applies: ({ operation, values }) =>
      operation.parameters.some(({ name, type }) => {
        const texts = values[name] ?? [];
        return lists.includes(type) && texts.length > 1 && texts.every((text) => !isBlank(text));
      }),
    example: { operation: "getLogs", values: { topics: ["0x1", "0x2"] } },
  },
];
