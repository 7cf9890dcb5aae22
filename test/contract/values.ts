import type { ParameterType } from "../../generator/catalog/definition.ts";
import type { Parameter } from "../../generator/model/model.ts";

/** The only name that is registered in the tests. */
export const registeredName = "alice.eth";

/** The chains of the tests: one in the network group that some endpoints require, and one outside of it. */
export const chains = [
  { id: 31337, name: "demo", groups: ["historical"] },
  { id: 1, name: "eth-mainnet", groups: [] },
] as const;

const address = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const hash = `0x${"d4E56740".repeat(8)}`;
/** 2^53 - 1, above which JavaScript numbers are not exact. */
const maxExactInteger = 9_007_199_254_740_991n;
/** Token ids are uint256 (EIP-721). */
const tokenIdLimit = 2n ** 256n;

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
const heights = ["0", "1", "18420", `${maxExactInteger}`];
const hexHeights = ["0x0", "0x10", "0X10", "0xFf", `0x${maxExactInteger.toString(16)}`];
const invalidHeights = [...invalidDecimals, ...invalidBlockTags, `${maxExactInteger + 1n}`, `${10n ** 20n}`, "0xg", `0x${"f".repeat(65)}`];
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

function listOf(valid: readonly string[], invalid: readonly string[], { maxItems }: Parameter): Values {
  const [first = ""] = valid;
  const max = maxItems ?? 1;
  return {
    valid: [...valid, valid.slice(0, max).join(","), many(first, max)],
    invalid: [
      ...invalid,
      many(first, max + 1),
      `${first},`,
      `,${first}`,
      `${first},,${first}`,
      ",",
      ...invalid.map((value) => `${first},${value}`),
    ],
  };
}

export interface Values {
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

function integers({ minimum, maximum, sizes }: Parameter): Values {
  const min = minimum ?? 0;
  const max = maximum ?? Number(maxExactInteger);
  const valid = sizes ?? [min, min + 1, max - 1, max];
  return {
    valid: valid.map(String),
    invalid: [
      ...invalidDecimals,
      "0x10",
      "0xff",
      `${min - 1}`,
      `${max + 1}`,
      `${maxExactInteger + 1n}`,
      `${10n ** 20n}`,
      ...(sizes === null ? [] : ["99", "101", "999"]),
    ],
  };
}

function textsUpTo(maxLength: number): Values {
  return { valid: [...texts, "x".repeat(maxLength)], invalid: ["x".repeat(maxLength + 1), "a\u0000b", "a\nb", "\u007f"] };
}

const byType: Record<ParameterType, (parameter: Parameter) => Values> = {
  chain: () => ({
    valid: ["demo", "31337", "eth-mainnet", "1"],
    invalid: ["Demo", "DEMO", "unknown", "31338", "0x7a69", "031337", "demo,demo", "-1", "1.5", "1e3", "de_mo"],
  }),
  address: () => ({ valid: addresses, invalid: invalidAddresses }),
  addressList: (parameter) => listOf(addresses, invalidAddresses, parameter),
  bitcoinAddress: () => ({
    valid: ["bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", "BCRT1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KYGT080"],
    invalid: [address, registeredName, "bcrt1", "bitcoin:bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"],
  }),
  hash: () => ({ valid: hashes, invalid: invalidHashes }),
  topicList: (parameter) => listOf(topics, invalidTopics, parameter),
  height: () => ({ valid: [...heights, "latest"], invalid: [...invalidHeights, "earliest", "0x10"] }),
  block: () => ({
    valid: [...heights, ...hexHeights, ...blockTags],
    invalid: [...invalidHeights, `0x${(maxExactInteger + 1n).toString(16)}`],
  }),
  date: () => ({ valid: days, invalid: [...invalidDays, "latest"] }),
  dateOrLatest: () => ({ valid: [...days, "latest"], invalid: [...invalidDays, "earliest", "Latest"] }),
  integer: integers,
  boolean: () => ({ valid: ["true", "false"], invalid: ["TRUE", "True", "1", "0", "yes", "t", "null", "true,false", "1e3", "-1"] }),
  currency: () => ({ valid: ["USD", "GBP", "usd", "Eur"], invalid: ["XXX", "US", "USDT", "$", "USD,EUR", "840", "1e3"] }),
  choice: ({ values }) => ({
    valid: values ?? [],
    invalid: [...(values ?? []).map((value) => value.toUpperCase()), "xml", (values ?? []).join(","), "0", "1e3"],
  }),
  text: ({ maximum }) => textsUpTo(maximum ?? 256),
  textList: (parameter) => listOf(["Red", "Round", "a b"], ["a\u0000b", "a\u0007"], parameter),
  tokenId: () => ({
    valid: ["0", "1", `${tokenIdLimit - 1n}`],
    invalid: [...invalidDecimals, "0x10", `${tokenIdLimit}`, `${10n ** 77n * 9n}`, `${10n ** 78n}`, "latest"],
  }),
};

/** Returns values that a parameter accepts and values that it rejects, including boundaries. */
export const valuesOf = (parameter: Parameter): Values => byType[parameter.type](parameter);
