import { encodeAbiParameters, keccak256, parseAbiParameters, toHex } from "viem";
import type { ChainLog } from "../../../runtime/chain/types.ts";
import { nodeOf } from "../../../runtime/domains/names/name-nodes.ts";
import { builtInRules } from "../../../runtime/domains/tokens/classification/built-in-rules.ts";
import { foldText, skeletonOf } from "../../../runtime/domains/tokens/classification/homoglyphs.ts";
import { createLureFinder, createWordFinder } from "../../../runtime/domains/tokens/classification/lures.ts";
import { type Counterparty, createCounterparties } from "../../../runtime/domains/tokens/classification/poisoning.ts";
import { tokenMetadataRead } from "../../../runtime/domains/tokens/projection/metadata-reads.ts";
import { createAbiRegistry } from "../../../runtime/events/abi-registry.ts";
import { nameNameChanged } from "../../../runtime/events/names.ts";
import { renderValue } from "../../../runtime/events/render-value.ts";
import { orderFulfilled, ordersMatched } from "../../../runtime/events/seaport.ts";
import { erc1155TransferBatch } from "../../../runtime/events/transfers.ts";
import type { Address, Hash, Hex } from "../../../runtime/lib/hex.ts";
import { normalizeName } from "../../../runtime/lib/normalize-name.ts";
import type { DoublingCase } from "./find-growth.ts";

const findLure = createLureFinder(builtInRules);
const findAirdropWord = createWordFinder(builtInRules.airdrops.words);

/** The max stored length of a name. NFKC expands one character to at most 18 (U+FDFA), or to 6 without a space (U+3316). */
const storedNameLength = 200;
const hostileNames: readonly (readonly [string, string])[] = [
  ["U+3316, six letters each", "\u3316"],
  ["U+FDFA, four words each", "\ufdfa"],
  ["a long run of letters", "a"],
  ["labels that end in hyphens", "a-"],
  ["only hyphens", "-"],
  ["labels and dots", "a."],
  ["unclosed spelled-out dots in parentheses", "a ("],
  ["unclosed spelled-out dots in brackets", "a[dot"],
  ["incomplete URL schemes", "http:/"],
  ["accents", "e\u0301"],
  ["marks in the wrong order", "\u0301\u0316"],
  ["symbols", "(a("],
  ["long runs of symbols", "((((((((((((((((((((((((((((((((a"],
];

const repeat = (pattern: string) => (size: number) => pattern.repeat(Math.ceil(size / [...pattern].length));
const textCases = (
  name: string,
  run: (text: string) => unknown,
  texts: readonly (readonly [string, string])[],
  size: number,
): DoublingCase[] => texts.map(([description, pattern]) => ({ name: `${name} for ${description}`, size, input: repeat(pattern), run }));

const word = (value: number | bigint): string => value.toString(16).padStart(64, "0");
const indexedTopic = `0x${word(0xabn)}` as Hash;
const logOf = (topics: readonly Hash[], data: Hex): ChainLog => ({ address: `0x${"ab".repeat(20)}`, topics, data, index: 0 }) as ChainLog;
const topicOf = (signature: string): Hash => keccak256(toHex(signature));
const registry = createAbiRegistry([
  {
    name: "hostile.json",
    json: JSON.stringify([
      { type: "event", name: "Texts", inputs: [{ name: "texts", type: "string[]", indexed: false }] },
      { type: "event", name: "Numbers", inputs: [{ name: "numbers", type: "uint256[]", indexed: false }] },
      { type: "event", name: "Lists", inputs: [{ name: "lists", type: "uint256[][]", indexed: false }] },
    ]),
  },
]);
const decode = (topics: readonly Hash[]) => (data: Hex) => registry.decodeLog({ address: `0x${"ab".repeat(20)}`, topics, data });
const numberArray = (size: number): Hex => `0x${word(32)}${word(size)}${word(7).repeat(size)}`;
/** An array whose elements are all at the same offset. */
const overlapping = (size: number): Hex =>
  `0x${word(32)}${word(size)}${word(size * 32).repeat(size)}${word(size)}${"ab".repeat(size * 32)}`;
/** Two arrays of Seaport items at the same offset. */
const order = (size: number): Hex =>
  `0x${word(1)}${word(2)}${word(128)}${word(128)}${word(size)}${[2, 0xab, 7, 1, 5].map(word).join("").repeat(size)}`;
const batch = (size: number): Hex => `0x${word(64)}${word(64)}${word(size)}${word(7).repeat(size)}`;

/** Addresses with the same first and last digits. */
const lookalikes = (size: number, middle: string): Counterparty[] =>
  Array.from({ length: size }, (_, index) => ({
    address: `0x1234${middle}${index.toString(16).padStart(31, "0")}5678` as Address,
    since: 5,
    sentSince: null,
  }));

export const chainCases: readonly DoublingCase[] = [
  ...textCases("lures: createLureFinder", findLure, hostileNames, storedNameLength / 2),
  ...textCases("lures: createWordFinder", findAirdropWord, hostileNames, storedNameLength / 2),
  ...textCases("homoglyphs: foldText", foldText, hostileNames, storedNameLength / 2),
  ...textCases("homoglyphs: skeletonOf", skeletonOf, hostileNames, storedNameLength / 2),
  {
    name: "lures: createLureFinder for one label that ends in many hyphens",
    size: storedNameLength / 2,
    input: (size) => `a${"-".repeat(size - 1)}`,
    run: findLure,
  },
  // An input above the limit takes as long as one at the limit.
  ...textCases("lures: createLureFinder above the limit", findLure, hostileNames, 1_000),
  ...textCases("homoglyphs: skeletonOf above the limit", skeletonOf, hostileNames, 1_000),
  {
    name: "poisoning: createCounterparties and imitated for addresses that look alike",
    size: 1_000,
    input: (size) => ({ known: lookalikes(size, "0"), checked: lookalikes(size, "1") }),
    run: ({ known, checked }: { readonly known: Counterparty[]; readonly checked: Counterparty[] }) => {
      const counterparties = createCounterparties(builtInRules, known);
      // At height 4, none of them is a counterparty yet, so the search does not end early.
      for (const { address } of checked) counterparties.imitatedBy(address, 4);
    },
  },
  {
    name: "metadata-reads: toRow for a name with invisible characters",
    size: 2_000,
    input: (size) => encodeAbiParameters(parseAbiParameters("string"), ["\u200d\u0301".repeat(size / 5)]),
    run: (data: Hex) =>
      tokenMetadataRead.toRow({ key: "0x", blockNumber: 1, readAtBlock: 1 } as never, [
        { ok: true, data },
        { ok: true, data },
        { ok: true, data: "0x" },
      ]),
  },
  ...textCases(
    "normalize-name: normalizeName",
    normalizeName,
    [
      ["joined emoji", "\u{1f468}\u200d"],
      ["accents", "\u0430\u0301"],
      ["stacked accents", "a\u0316\u0317"],
      ["labels", "\u00e9."],
      ["plain labels", "a."],
      ["hyphens", "a--"],
    ],
    // A name has at most 255 characters.
    127,
  ),
  { name: "nodes: nodeOf for many labels", size: 63, input: (size) => `${"a.".repeat(size)}eth`, run: nodeOf },
  {
    name: "abi-registry: decodeLog for a long array",
    size: 1_000,
    input: numberArray,
    run: decode([topicOf("Numbers(uint256[])")]),
  },
  {
    name: "abi-registry: decodeLog for a long text",
    size: 3_000,
    input: (size) => encodeAbiParameters(parseAbiParameters("string"), ["\u0000a".repeat(size / 2)]),
    run: decode([topicOf("NameChanged(bytes32,string)"), indexedTopic]),
  },
  {
    name: "abi-registry: decodeLog for orders whose two arrays overlap",
    size: 190,
    input: order,
    run: decode([
      topicOf(
        "OrderFulfilled(bytes32,address,address,address,(uint8,address,uint256,uint256)[],(uint8,address,uint256,uint256,address)[])",
      ),
      indexedTopic,
      indexedTopic,
    ]),
  },
  // Nested arrays with more bytes than the limit are not decoded.
  { name: "abi-registry: decodeLog for overlapping texts", size: 2_000, input: overlapping, run: decode([topicOf("Texts(string[])")]) },
  { name: "abi-registry: decodeLog for overlapping arrays", size: 2_000, input: overlapping, run: decode([topicOf("Lists(uint256[][])")]) },
  {
    name: "abi-registry: decodeLog for lengths and offsets beyond the data",
    size: 3_000,
    input: (size) => `0x${word(2n ** 255n)}${word(2n ** 31n)}${"ff".repeat(size)}`,
    run: decode([topicOf("Numbers(uint256[])")]),
  },
  {
    name: "render-value: renderValue for an array of texts",
    size: 2_000,
    input: (size) => Array.from({ length: size }, () => '\u0000"\u202e'),
    run: (value: readonly string[]) => renderValue({ type: "string[]" }, value),
  },
  {
    name: "render-value: renderValue for nested arrays",
    size: 2_000,
    input: (size) => Array.from({ length: size }, () => [[1n], [2n]]),
    run: (value: readonly unknown[]) => renderValue({ type: "uint256[][][]" }, value),
  },
  {
    name: "transfers: TransferBatch whose two arrays overlap",
    size: 2_000,
    input: (size) => logOf([indexedTopic, indexedTopic, indexedTopic, indexedTopic], batch(size)),
    run: (log: ChainLog) => erc1155TransferBatch.decode(log, 0),
  },
  {
    name: "seaport: OrderFulfilled whose two arrays overlap",
    size: 4_000,
    input: (size) => logOf([indexedTopic, indexedTopic, indexedTopic], order(size)),
    run: (log: ChainLog) => orderFulfilled.decode(log, 0),
  },
  {
    name: "seaport: OrdersMatched",
    size: 2_000,
    input: (size) => logOf([indexedTopic], numberArray(size)),
    run: (log: ChainLog) => ordersMatched.decode(log, 0),
  },
  {
    name: "names: NameChanged",
    size: 5_000,
    input: (size) => logOf([indexedTopic, indexedTopic], encodeAbiParameters(parseAbiParameters("string"), ["a".repeat(size)])),
    run: (log: ChainLog) => nameNameChanged.decode(log, 0),
  },
];
