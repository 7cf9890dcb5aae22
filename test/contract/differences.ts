import type { Parameter } from "../../generator/model/model.ts";
import type { Changes, RequestCase } from "./request-cases.ts";
import { chains, registeredName } from "./values.ts";

/**
 * A kind of request that the request code and express-openapi-validator handle differently.
 * `applies` is exact: true for every request of the kind, false for every request that both handle alike.
 */
export interface Difference {
  readonly kind: string;
  readonly reason: string;
  /** Result of the request code; that of express-openapi-validator is the opposite. */
  readonly here: "accepts" | "rejects";
  readonly applies: (request: RequestCase) => boolean;
  /** An example: the operation and the changes to its minimal request. */
  readonly example: { readonly operation: string } & Changes;
}

const lists = ["addressList", "topicList", "textList"];
const elementsOf = ({ type }: Parameter, text: string): string[] => (lists.includes(type) ? text.split(",") : [text]);
const isBlank = (text: string): boolean => text.trim() === "";

/** Whether a parameter that is sent once is of the kind. */
const one =
  (test: (parameter: Parameter, text: string, request: RequestCase) => boolean) =>
  (request: RequestCase): boolean =>
    request.operation.parameters.some((parameter) => {
      const [text, ...more] = request.values[parameter.name] ?? [];
      return text !== undefined && more.length === 0 && test(parameter, text, request);
    });

/** Whether a parameter of one of the types is of the kind, by its trimmed text; blank text is not. */
const oneTrimmed = (types: readonly string[], test: (text: string, parameter: Parameter, request: RequestCase) => boolean) =>
  one((parameter, text, request) => types.includes(parameter.type) && !isBlank(text) && test(text.trim(), parameter, request));

const sentText = (request: RequestCase, { name }: Parameter): string => request.values[name]?.[0]?.trim() ?? "";

/** Whether a value is valid by the document's schema of an integer parameter. */
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
    reason: "Both spellings return the same; the validator only knows the path as documented.",
    here: "accepts",
    applies: ({ target }) => target.startsWith("/v1/") && !/\/(?:\?|$)/.test(target),
    example: { operation: "getAllChains", target: () => "/v1/chains" },
  },
  {
    kind: "xy%3Dk for xy=k",
    reason: "Equivalent by RFC 3986, section 6.2.2, and clients send both; the validator compares paths without decoding.",
    here: "accepts",
    applies: ({ target }) => target.includes("/xy%3Dk/"),
    example: { operation: "getSupportedDexes", target: () => "/v1/xy%3Dk/supported_dexes/" },
  },
  {
    kind: "white space around a value",
    reason:
      "Values are trimmed, also in lists, which a schema cannot express. The validator trims numbers only and accepts free text unchanged.",
    here: "accepts",
    applies: oneTrimmed(
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
    reason:
      "Treated as absent, because forms and spreadsheets send all their fields; the validator treats it as a value, and blanks are 0 or free text.",
    here: "accepts",
    applies: one((parameter, text) => {
      if (parameter.in === "path" || parameter.required || !isBlank(text)) return false;
      const takenAsValue = parameter.type === "integer" ? isInBounds(parameter, 0) : ["text", "textList"].includes(parameter.type);
      return text === "" || !takenAsValue;
    }),
    example: { operation: "getBlockHeights", values: { "page-number": [""] } },
  },
  {
    kind: "a blank path value",
    reason: "A path value cannot be absent, and trimmed blanks are empty; the validator reads them as 0 or as free text.",
    here: "rejects",
    applies: one((parameter, text) => {
      const takenAsValue = parameter.type === "text" || (parameter.type === "integer" && isInBounds(parameter, 0));
      return parameter.in === "path" && isBlank(text) && takenAsValue;
    }),
    example: { operation: "getPools", values: { dexName: ["  "] } },
  },
  {
    kind: "a currency in lower or mixed case",
    reason: "Currencies are accepted in any case; the document's enum lists one case to stay readable.",
    here: "accepts",
    applies: oneTrimmed(["currency"], (text) => text !== text.toUpperCase() && ["USD", "EUR"].includes(text.toUpperCase())),
    example: { operation: "getGasPrices", values: { "quote-currency": ["eur"] } },
  },
  {
    kind: "a page size that only CSV accepts",
    reason: "With format=csv a page is a download of 1 to 10,000 rows; a schema of one parameter cannot depend on another.",
    here: "accepts",
    applies: one((parameter, text, request) => {
      if (parameter.name !== "page-size" || request.values.format?.[0] !== "csv") return false;
      return Number(text) >= 1 && Number(text) <= 10_000 && !isInBounds(parameter, Number(text));
    }),
    example: { operation: "getTokenHolders", values: { "page-size": ["5000"], format: ["csv"] } },
  },
  {
    kind: "a number in another notation",
    reason: "Only plain decimals are accepted; the validator accepts everything that Number() parses, and checks no bound of Infinity.",
    here: "rejects",
    applies: oneTrimmed(["integer"], (text, parameter) => {
      const value = Number(text);
      if (text === "Infinity") return parameter.sizes === null;
      return text !== String(value) && Number.isInteger(value) && isInBounds(parameter, value);
    }),
    example: { operation: "getBlockHeights", values: { "page-size": ["0x10"] } },
  },
  {
    kind: "a height above 2^53 - 1",
    reason: "Heights must be exact numbers; the document's pattern limits the format, not the value.",
    here: "rejects",
    applies: oneTrimmed(
      ["height", "block"],
      (text, { type }) =>
        (/^[1-9]\d*$/.test(text) || (type === "block" && /^0x[0-9a-f]{1,64}$/i.test(text))) && BigInt(text) > Number.MAX_SAFE_INTEGER,
    ),
    example: { operation: "getBlock", values: { blockHeight: ["9007199254740992"] } },
  },
  {
    kind: "a day that does not exist, or before 1970",
    reason:
      "A pattern cannot express the days of a month, no chain is older, and the validator does not check the format `date` of requests.",
    here: "rejects",
    applies: oneTrimmed(["date", "dateOrLatest"], (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !isCalendarDay(text)),
    example: { operation: "getBlockHeights", values: { startDate: ["2026-02-30"] } },
  },
  {
    kind: "an unknown chain",
    reason: "Chains are configured by the operator, not in the document.",
    here: "rejects",
    applies: oneTrimmed(
      ["chain"],
      (text) => /^[a-z0-9][a-z0-9-]*$/.test(text) && !chains.some(({ id, name }) => text === String(id) || text === name),
    ),
    example: { operation: "getLogs", values: { chainName: ["another"] } },
  },
  {
    kind: "a chain outside the endpoint's network group",
    reason: "The chains of an endpoint are configured by the operator, not in the document.",
    here: "rejects",
    applies: oneTrimmed(["chain"], (text, _parameter, { operation: { networks } }) => {
      const chain = chains.find(({ id, name }) => text === String(id) || text === name);
      return networks !== null && chain !== undefined && !chain.groups.some((group) => group === networks);
    }),
    example: { operation: "getHistoricalTokenBalancesForWalletAddress", values: { chainName: ["eth-mainnet"] } },
  },
  {
    kind: "a name that is not registered",
    reason: "Names resolve on the chain; the document can only describe their format.",
    here: "rejects",
    applies: oneTrimmed(["address", "addressList"], (text, parameter) => {
      const elements = elementsOf(parameter, text).map((element) => element.trim());
      const isName = (element: string): boolean => /^[^\s.,/\\?%@:;"<>]+(?:\.[^\s.,/\\?%@:;"<>]+)+$/.test(element);
      const wellFormed = elements.every((element) => isName(element) || /^0x[0-9a-f]{40}$/i.test(element));
      return wellFormed && elements.some((element) => isName(element) && element.toLowerCase() !== registeredName);
    }),
    example: { operation: "getNativeTokenBalance", values: { walletAddress: ["bob.eth"] } },
  },
  {
    kind: "parameters that are valid alone but not together",
    reason: "Some exclude or require each other, and a range must not descend; OpenAPI has no rules across parameters.",
    here: "rejects",
    applies: breaksRule,
    example: { operation: "getBlockHeights", values: { startDate: ["2026-01-02"], endDate: ["2026-01-01"] } },
  },
  {
    kind: "a token id of 2^256 or more",
    reason: "Ids are uint256; the document's pattern limits their length, not their value.",
    here: "rejects",
    applies: oneTrimmed(["tokenId"], (text) => /^[1-9]\d{0,77}$/.test(text) && BigInt(text) >= 2n ** 256n),
    example: { operation: "getNftMetadataForGivenTokenIdForContract", values: { tokenId: [String(2n ** 256n)] } },
  },
  {
    kind: "control characters in free text",
    reason: "No name contains them, and PostgreSQL cannot store NUL; the document does not restrict free text.",
    here: "rejects",
    applies: oneTrimmed(["text", "textList"], (text, { maximum }) => /\p{Cc}/u.test(text) && text.length <= (maximum ?? 1024)),
    example: { operation: "getPools", values: { dexName: ["a\u0000b"] } },
  },
  {
    kind: "a list that is sent twice",
    reason: "A list is one value with commas, and every parameter is sent once; the validator reads a repetition as a list.",
    here: "rejects",
    applies: ({ operation, values }) =>
      operation.parameters.some(({ name, type }) => {
        const texts = values[name] ?? [];
        return lists.includes(type) && texts.length > 1 && texts.every((text) => !isBlank(text));
      }),
    example: { operation: "getLogs", values: { topics: ["0x1", "0x2"] } },
  },
];
