import type { ParameterType } from "../../generator/catalog/definition.ts";
import type { Parameter } from "../../generator/model/model.ts";

/** The name in the tests' registry. */
export const registeredName = "alice.eth";

/** The chains of the tests: one in the network group that some endpoints are restricted to, and one outside it. */
export const chains = [
  { id: 31337, name: "demo", groups: ["historical"] },
  { id: 1, name: "eth-mainnet", groups: [] },
] as const;

const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const hash = `0x${"d4E56740".repeat(8)}`;
/** 2^53 - 1, above which JavaScript numbers are not exact. */
const exact = 9_007_199_254_740_991n;
/** Token ids are uint256 (EIP-721). */
const uint256 = 2n ** 256n;

const addresses = [
  address,
  address.toLowerCase(),
  `0x${address.slice(2).toUpperCase()}`,
  `0x${"0".repeat(40)}`,
  registeredName,
  "Alice.ETH",
];
const invalidAddresses = [
  address.slice(2),
  address.slice(0, -1),
  `${address}0`,
  `${address.slice(0, -1)}g`,
  "0x",
  "alice",
  ".eth",
  "alice..eth",
  "alice.eth.",
  "bob.eth",
  "a b.eth",
  "<i>.eth",
  "1e3",
  "1.5",
  "100000000000000000000",
  "null",
];
const hashes = [hash, hash.toLowerCase(), `0x${"0".repeat(64)}`];
const invalidHashes = [
  hash.slice(2),
  hash.slice(0, -1),
  `${hash}0`,
  `${hash.slice(0, -1)}g`,
  "0x",
  "latest",
  "0",
  address,
  `${hash},${hash}`,
];
const invalidDecimals = [
  "-1",
  "-0",
  "1.5",
  "5.0",
  "1e3",
  "+5",
  "05",
  "1_000",
  "1,000",
  "five",
  "NaN",
  "Infinity",
  "١٢",
  "1;2",
  "0b1",
  "0x",
];
const blockTags = ["latest", "earliest"];
const invalidBlockTags = ["Latest", "LATEST", "pending", "finalized", "latest,1"];
const heights = ["0", "1", "18420", `${exact}`];
const hexHeights = ["0x0", "0x10", "0X10", "0xFf", `0x${exact.toString(16)}`];
const invalidHeights = [...invalidDecimals, ...invalidBlockTags, `${exact + 1n}`, `${10n ** 20n}`, "0xg", `0x${"f".repeat(65)}`];
const days = ["2026-01-31", "1970-01-01", "2024-02-29", "9999-12-31"];
const invalidDays = [
  "2026-02-30",
  "2025-02-29",
  "1900-02-29",
  "2026-13-01",
  "2026-00-10",
  "2026-01-00",
  "1969-12-31",
  "0000-01-01",
  "2026-1-1",
  "26-01-01",
  "20260101",
  "31-01-2026",
  "2026/01/31",
  "2026-01-31T00:00:00Z",
  "2026-01-31Z",
  "today",
  "1769817600",
];
const topics = [hash, "0x1", address.toLowerCase(), address];
const invalidTopics = ["0x", "1", "0xg", `${hash}0`, registeredName];
const texts = ["demo_exchange", "Colour", "a/b", "a b", "日本", "x+y=z&?#", "'(!*)'", "100%"];

const many = (value: string, count: number): string => Array.from({ length: count }, () => value).join(",");

function listOf(good: readonly string[], bad: readonly string[], { maxItems }: Parameter): Values {
  const [first = ""] = good;
  const max = maxItems ?? 1;
  return {
    good: [...good, good.slice(0, max).join(","), many(first, max)],
    bad: [...bad, many(first, max + 1), `${first},`, `,${first}`, `${first},,${first}`, ",", ...bad.map((value) => `${first},${value}`)],
  };
}

export interface Values {
  readonly good: readonly string[];
  readonly bad: readonly string[];
}

function integers({ minimum, maximum, sizes }: Parameter): Values {
  const min = minimum ?? 0;
  const max = maximum ?? Number(exact);
  const inside = sizes ?? [min, min + 1, max - 1, max];
  return {
    good: inside.map(String),
    bad: [
      ...invalidDecimals,
      "0x10",
      "0xff",
      `${min - 1}`,
      `${max + 1}`,
      `${exact + 1n}`,
      `${10n ** 20n}`,
      ...(sizes === null ? [] : ["99", "101", "999"]),
    ],
  };
}

function textsUpTo(longest: number): Values {
  return { good: [...texts, "x".repeat(longest)], bad: ["x".repeat(longest + 1), "a\u0000b", "a\nb", "\u007f"] };
}

const byType: Record<ParameterType, (parameter: Parameter) => Values> = {
  chain: () => ({
    good: ["demo", "31337", "eth-mainnet", "1"],
    bad: ["Demo", "DEMO", "another", "31338", "0x7a69", "031337", "demo,demo", "-1", "1.5", "1e3", "de_mo"],
  }),
  address: () => ({ good: addresses, bad: invalidAddresses }),
  addressList: (parameter) => listOf(addresses, invalidAddresses, parameter),
  hash: () => ({ good: hashes, bad: invalidHashes }),
  topicList: (parameter) => listOf(topics, invalidTopics, parameter),
  height: () => ({ good: [...heights, "latest"], bad: [...invalidHeights, "earliest", "0x10"] }),
  block: () => ({ good: [...heights, ...hexHeights, ...blockTags], bad: [...invalidHeights, `0x${(exact + 1n).toString(16)}`] }),
  date: () => ({ good: days, bad: [...invalidDays, "latest"] }),
  dateOrLatest: () => ({ good: [...days, "latest"], bad: [...invalidDays, "earliest", "Latest"] }),
  integer: integers,
  boolean: () => ({ good: ["true", "false"], bad: ["TRUE", "True", "1", "0", "yes", "t", "null", "true,false", "1e3", "-1"] }),
  currency: () => ({ good: ["USD", "GBP", "usd", "Eur"], bad: ["XXX", "US", "USDT", "$", "USD,EUR", "840", "1e3"] }),
  choice: ({ values }) => ({
    good: values ?? [],
    bad: [...(values ?? []).map((value) => value.toUpperCase()), "xml", (values ?? []).join(","), "0", "1e3"],
  }),
  text: ({ maximum }) => textsUpTo(maximum ?? 256),
  textList: (parameter) => listOf(["Red", "Round", "a b"], ["a\u0000b", "a\u0007"], parameter),
  tokenId: () => ({
    good: ["0", "1", `${uint256 - 1n}`],
    bad: [...invalidDecimals, "0x10", `${uint256}`, `${10n ** 77n * 9n}`, `${10n ** 78n}`, "latest"],
  }),
};

/** Returns values that a parameter accepts and values that it rejects, including boundaries. */
export const valuesOf = (parameter: Parameter): Values => byType[parameter.type](parameter);
