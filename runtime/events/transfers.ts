import type { ChainLog } from "../chain/types.ts";
import { zeroAddress } from "../lib/hex.ts";
import type { DecodedEvent, EventDefinition, EventPosition } from "./decoded-block.ts";
import { addressAt, hasWords, smallWordAt, type TopicReader, topicAddress, wholeWordCount, wordAt } from "./words.ts";

const positionOf = (log: ChainLog, transactionIndex: number): EventPosition => ({
  address: log.address,
  transactionIndex,
  logIndex: log.index,
});

/** keccak-256("Transfer(address,address,uint256)"): the same for ERC-20 and ERC-721, which differ in their indexed parameters. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** EIP-20: two indexed addresses, and the amount in the data. */
export const erc20Transfer: EventDefinition = {
  id: "erc20Transfer",
  topic0: transferTopic,
  decode: (log, transactionIndex, addressOf = topicAddress) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 1)) return null;
    const from = addressOf(log.topics[1]);
    const to = addressOf(log.topics[2]);
    if (from === null || to === null) return null;
    return { kind: "erc20Transfer", ...positionOf(log, transactionIndex), from, to, amount: wordAt(log.data, 0) };
  },
};

/** EIP-721: all three parameters are indexed. */
export const erc721Transfer: EventDefinition = {
  id: "erc721Transfer",
  topic0: transferTopic,
  decode: (log, transactionIndex, addressOf = topicAddress) => {
    if (log.topics.length !== 4) return null;
    const from = addressOf(log.topics[1]);
    const to = addressOf(log.topics[2]);
    const tokenId = log.topics[3];
    if (from === null || to === null || tokenId === undefined) return null;
    return { kind: "erc721Transfer", ...positionOf(log, transactionIndex), from, to, tokenId: BigInt(tokenId) };
  },
};

/** ERC20Transfer(address,address,uint256) of early ERC-404 contracts, emitted in addition to EIP-721's Transfer of their ids. */
const hybridTransfer: EventDefinition = {
  id: "hybridTransfer",
  topic0: "0xe59fdd36d0d223c0c7d996db7ad796880f45e1936cb0bb7ac102e7082e031487",
  decode: (log, transactionIndex, addressOf = topicAddress) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 1)) return null;
    const from = addressOf(log.topics[1]);
    const to = addressOf(log.topics[2]);
    if (from === null || to === null) return null;
    return { kind: "hybridTransfer", ...positionOf(log, transactionIndex), from, to, amount: wordAt(log.data, 0) };
  },
};

/** Emitted by collections that predate the final EIP-721: no parameter is indexed, all three are in the data. */
export const legacyErc721Transfer: EventDefinition = {
  id: "legacyErc721Transfer",
  topic0: transferTopic,
  decode: (log, transactionIndex) => {
    if (log.topics.length !== 1 || !hasWords(log.data, 3)) return null;
    const from = addressAt(log.data, 0);
    const to = addressAt(log.data, 1);
    if (from === null || to === null) return null;
    return { kind: "erc721Transfer", ...positionOf(log, transactionIndex), from, to, tokenId: wordAt(log.data, 2) };
  },
};

/**
 * All kinds of ERC-20 and ERC-721 Transfer events. A projection that uses one of them decodes all of them: a contract's standard may change the kind
 * of an event, and a projection rebuilt separately must decode the same events as one indexed together with others.
 */
export const tokenTransferEvents: readonly EventDefinition[] = [erc20Transfer, erc721Transfer, legacyErc721Transfer, hybridTransfer];

/** Max ids per event, as in common libraries. Longer ranges may be forged. */
const maxConsecutive = 5_000n;

/**
 * EIP-2309's ConsecutiveTransfer(uint256,uint256,address,address), with the last id in the data. Only mints are decoded: EIP-721 requires one
 * Transfer per id outside contract creation.
 */
export const consecutiveMint: EventDefinition = {
  id: "consecutiveMint",
  topic0: "0xdeaa91b6123d068f5821d0fb0678463d1a8a6079fe8af5de3ce5e896dcf9133d",
  decode: (log, transactionIndex, addressOf = topicAddress) => {
    const [, first, from, to] = log.topics;
    if (first === undefined || log.topics.length !== 4 || !hasWords(log.data, 1)) return null;
    const [sender, receiver] = [addressOf(from), addressOf(to)];
    const [fromId, toId] = [BigInt(first), wordAt(log.data, 0)];
    if (sender !== zeroAddress || receiver === null || receiver === zeroAddress) return null;
    if (toId < fromId || toId - fromId >= maxConsecutive) return null;
    return { kind: "consecutiveMint", ...positionOf(log, transactionIndex), to: receiver, fromId, toId };
  },
};

/** EIP-1155's TransferSingle(address,address,address,uint256,uint256). */
export const erc1155TransferSingle: EventDefinition = {
  id: "erc1155TransferSingle",
  topic0: "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62",
  decode: (log, transactionIndex, addressOf = topicAddress) => {
    if (log.topics.length !== 4 || !hasWords(log.data, 2)) return null;
    return multiToken(log, transactionIndex, addressOf, [{ tokenId: wordAt(log.data, 0), amount: wordAt(log.data, 1) }]);
  },
};

/** EIP-1155's TransferBatch(address,address,address,uint256[],uint256[]). */
export const erc1155TransferBatch: EventDefinition = {
  id: "erc1155TransferBatch",
  topic0: "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb",
  decode: (log, transactionIndex, addressOf = topicAddress) => {
    if (log.topics.length !== 4) return null;
    const tokenIds = arrayAt(log, 0);
    const amounts = arrayAt(log, 1);
    if (tokenIds === null || amounts === null || tokenIds.length !== amounts.length) return null;
    const items = tokenIds.map((tokenId, position) => ({ tokenId, amount: amounts[position] ?? 0n }));
    return multiToken(log, transactionIndex, addressOf, items);
  },
};

const multiToken = (
  log: ChainLog,
  transactionIndex: number,
  addressOf: TopicReader,
  items: readonly { tokenId: bigint; amount: bigint }[],
): DecodedEvent | null => {
  const operator = addressOf(log.topics[1]);
  const from = addressOf(log.topics[2]);
  const to = addressOf(log.topics[3]);
  if (operator === null || from === null || to === null) return null;
  return { kind: "erc1155Transfer", ...positionOf(log, transactionIndex), operator, from, to, items };
};

/** The array of words at the offset in word `head`; null if it exceeds the data. */
const arrayAt = ({ data }: ChainLog, head: number): bigint[] | null => {
  const words = wholeWordCount(data);
  if (words < head + 1) return null;
  const offset = smallWordAt(data, head);
  if (offset < 0 || offset % 32 !== 0) return null;
  const start = offset / 32;
  if (start >= words) return null;
  const length = smallWordAt(data, start);
  if (length < 0 || length > words - start - 1) return null;
  return Array.from({ length }, (_, position) => wordAt(data, start + 1 + position));
};

const wrapping = (kind: "deposit" | "withdrawal", topic0: EventDefinition["topic0"]): EventDefinition => ({
  id: kind,
  topic0,
  decode: (log, transactionIndex, addressOf = topicAddress) => {
    if (log.topics.length !== 2 || !hasWords(log.data, 1)) return null;
    const owner = addressOf(log.topics[1]);
    return owner === null ? null : { kind, ...positionOf(log, transactionIndex), owner, amount: wordAt(log.data, 0) };
  },
});

/** WETH9's Deposit(address,uint256). */
export const wrappedDeposit = wrapping("deposit", "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c");

/** WETH9's Withdrawal(address,uint256). */
export const wrappedWithdrawal = wrapping("withdrawal", "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65");
