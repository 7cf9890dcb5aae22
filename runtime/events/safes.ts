import type { ChainLog } from "../chain/types.ts";
import type { Address, Hash, Hex } from "../lib/hex.ts";
import type { EventDefinition, SafeEventFields } from "./decoded-block.ts";
import { addressAt, hasWords, smallWordAt, topicAddress, wordAt, wordCount } from "./words.ts";

const define = (id: string, topic0: Hash, read: (log: ChainLog) => SafeEventFields | null): EventDefinition => ({
  id,
  topic0,
  decode: (log, transactionIndex) => {
    const fact = read(log);
    return fact === null ? null : { address: log.address, transactionIndex, logIndex: log.index, ...fact };
  },
});

/** SafeSetup(address,address[],uint256,address,address) of Safe 1.3 and later: the first parameter is indexed. */
export const safeSetup = define("safeSetup", "0x141df868a6331af528e38c83b7aa03edc19be66e37ae67f9285bf4f8e3c6a1a8", ({ topics, data }) => {
  if (topics.length !== 2 || wordCount(data) < 4) return null;
  const owners = addressesAt(data, 0);
  return owners === null ? null : { kind: "safeSetup", owners, threshold: wordAt(data, 1) };
});

/** AddedOwner(address): the parameter is indexed in Safe 1.4 and later. */
export const safeOwnerAdded = define("safeOwnerAdded", "0x9465fa0c962cc76958e6373a993326400c1c94f8be2fe3a952adfa7f60b2ea26", (log) =>
  ownerChange("safeOwnerAdded", log),
);

/** RemovedOwner(address): the parameter is indexed in Safe 1.4 and later. */
export const safeOwnerRemoved = define("safeOwnerRemoved", "0xf8d49fc529812e9a7c5c50e69c20f0dccc0db8fa95c98bc58cc9a4f1c1299eaf", (log) =>
  ownerChange("safeOwnerRemoved", log),
);

/** ChangedThreshold(uint256). */
export const safeThresholdChanged = define(
  "safeThreshold",
  "0x610f7ff2b304ae8903c3de74c60c6ab1f7d6226b3f52c5161905bb5ad4039c93",
  ({ topics, data }) => (topics.length === 1 && wordCount(data) === 1 ? { kind: "safeThreshold", threshold: wordAt(data, 0) } : null),
);

/** SafeMultiSigTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes,bytes) of SafeL2. */
export const safeMultiSigTransaction = define(
  "safeStarted",
  "0x66753cd2356569ee081232e3be8909b950e0a76c1f8460c3a5e3c2be32b11bed",
  ({ topics, data }) => {
    if (topics.length !== 1 || !hasWords(data, 11)) return null;
    const signatures = bytesAt(data, 9);
    return signatures === null ? null : { kind: "safeStarted", signatures };
  },
);

/** ExecutionSuccess(bytes32,uint256): the hash is indexed in Safe 1.4 and later. */
export const safeExecutionSuccess = define(
  "safeExecutionSuccess",
  "0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e",
  (log) => executed(log, true),
);

/** ExecutionFailure(bytes32,uint256): the hash is indexed in Safe 1.4 and later. */
export const safeExecutionFailure = define(
  "safeExecutionFailure",
  "0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23",
  (log) => executed(log, false),
);

const ownerChange = (kind: "safeOwnerAdded" | "safeOwnerRemoved", { topics, data }: ChainLog): SafeEventFields | null => {
  const [isIndexed, isInData] = [topics.length === 2 && wordCount(data) === 0, topics.length === 1 && wordCount(data) === 1];
  const owner = isIndexed ? topicAddress(topics[1]) : isInData ? addressAt(data, 0) : null;
  return owner === null ? null : { kind, owner };
};

const executed = ({ topics, data }: ChainLog, isSuccessful: boolean): SafeEventFields | null => {
  const [isIndexed, isInData] = [topics.length === 2 && wordCount(data) === 1, topics.length === 1 && wordCount(data) === 2];
  const txHash = isIndexed ? topics[1] : isInData ? (data.slice(0, 66) as Hash) : undefined;
  return txHash === undefined ? null : { kind: "safeExecuted", txHash, isSuccessful };
};

/** The addresses in the array at the offset in word `head`; null if it exceeds the data or an element is not an address. */
const addressesAt = (data: Hex, head: number): Address[] | null => {
  const offset = smallWordAt(data, head);
  if (offset < 0 || offset % 32 !== 0 || !hasWords(data, offset / 32 + 1)) return null;
  const start = offset / 32;
  const length = smallWordAt(data, start);
  if (length < 0 || !hasWords(data, start + 1 + length)) return null;
  const items = Array.from({ length }, (_, position) => addressAt(data, start + 1 + position));
  const addresses = items.filter((item) => item !== null);
  return addresses.length < items.length ? null : addresses;
};

/** The bytes at the offset in word `head`; contracts accept any offset. Null if they exceed the data. */
export const bytesAt = (data: Hex, head: number): Hex | null => {
  if (!hasWords(data, head + 1)) return null;
  const offset = smallWordAt(data, head);
  if (offset < 0) return null;
  const tail: Hex = `0x${data.slice(2 + 2 * offset)}`;
  if (!hasWords(tail, 1)) return null;
  const length = smallWordAt(tail, 0);
  const end = 66 + 2 * length;
  return length < 0 || end > tail.length ? null : `0x${tail.slice(66, end)}`;
};
