import type { ChainLog, ChainTransaction } from "../../runtime/chain/types.ts";
import { type Address, type Hash, type Hex, zeroAddress } from "../../runtime/lib/hex.ts";
import { hexOf } from "../support/random.ts";

/** An offered item of an order, with Seaport's item types. */
export interface OfferItem {
  readonly type: 0 | 1 | 2 | 3;
  readonly token: Address;
  readonly id: number;
  readonly amount: bigint;
}

/** An item of an order's consideration with its recipient. */
export interface ConsiderationItem extends OfferItem {
  readonly recipient: Address;
}

const transfer: Hash = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const transferSingle: Hash = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
const approval: Hash = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";
const approvalForAll: Hash = "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31";
const orderFulfilled: Hash = "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31";
const answerUpdated: Hash = "0x0559884fd3a460db3073b7fc896cc77986f16e378210ded43186175bf646fc5f";

const kinds = { transaction: 64, order: 65 } as const;
const digitsOf = (value: number | bigint): string => value.toString(16).padStart(64, "0");
const word = (value: number | bigint): Hash => `0x${digitsOf(value)}`;
const addressDigits = (address: Address): string => `${"0".repeat(24)}${address.slice(2)}`;
const topic = (address: Address): Hash => `0x${addressDigits(address)}`;

/** Writes the logs of a block's transactions, as real contracts would emit them. */
export interface BlockWriter {
  readonly transactions: readonly ChainTransaction[];
  transfer(token: Address, from: Address, to: Address, id: number): void;
  transferUnits(token: Address, operator: Address, from: Address, to: Address, id: number, amount: number): void;
  transferCoins(token: Address, from: Address, to: Address, amount: bigint): void;
  approve(token: Address, owner: Address, spender: Address, id: number): void;
  approveAll(token: Address, owner: Address, operator: Address, approved: boolean): void;
  approveCoins(token: Address, owner: Address, spender: Address, amount: bigint): void;
  /** The order's `zone` is the zero address. */
  fulfil(
    market: Address,
    number: number,
    offerer: Address,
    recipient: Address,
    offer: readonly OfferItem[],
    consideration: readonly ConsiderationItem[],
  ): void;
  answer(feed: Address, answer: bigint, round: number, time: number): void;
  /** Adds a transaction that contains the logs since the previous transaction. */
  endTransaction(from: Address, to: Address, value?: bigint): void;
}

/** Creates a writer of one block whose transactions are numbered from `first`. */
export const createBlockWriter = (first: number): BlockWriter => {
  const transactions: ChainTransaction[] = [];
  let logs: ChainLog[] = [];
  let index = 0;
  const push = (address: Address, topics: readonly Hash[], data: Hex): void => {
    logs.push({ index, address, topics, data });
    index += 1;
  };
  return {
    transactions,
    transfer: (token, from, to, id) => push(token, [transfer, topic(from), topic(to), word(id)], "0x"),
    transferUnits: (token, operator, from, to, id, amount) =>
      push(token, [transferSingle, topic(operator), topic(from), topic(to)], `0x${digitsOf(id)}${digitsOf(amount)}`),
    transferCoins: (token, from, to, amount) => push(token, [transfer, topic(from), topic(to)], word(amount)),
    approve: (token, owner, spender, id) => push(token, [approval, topic(owner), topic(spender), word(id)], "0x"),
    approveAll: (token, owner, operator, approved) => push(token, [approvalForAll, topic(owner), topic(operator)], word(approved ? 1 : 0)),
    approveCoins: (token, owner, spender, amount) => push(token, [approval, topic(owner), topic(spender)], word(amount)),
    fulfil: (market, number, offerer, recipient, offer, consideration) =>
      push(market, [orderFulfilled, topic(offerer), topic(zeroAddress)], orderData(number, recipient, offer, consideration)),
    answer: (feed, answer, round, time) => push(feed, [answerUpdated, word(answer), word(round)], word(time)),
    endTransaction: (from, to, value = 0n) => {
      transactions.push(toTransaction(first + transactions.length, transactions.length, from, to, value, logs));
      logs = [];
    },
  };
};

/** The order's hash, the recipient, the byte offsets of both arrays, then each array preceded by its length. */
const orderData = (number: number, recipient: Address, offer: readonly OfferItem[], consideration: readonly ConsiderationItem[]): Hex => {
  const item = ({ type, token, id, amount }: OfferItem): string =>
    `${digitsOf(type)}${addressDigits(token)}${digitsOf(id)}${digitsOf(amount)}`;
  const offered = 4 * 32;
  const words = [
    hexOf(kinds.order, number, 8).slice(2),
    addressDigits(recipient),
    digitsOf(offered),
    digitsOf(offered + 32 + offer.length * 4 * 32),
    digitsOf(offer.length),
    ...offer.map(item),
    digitsOf(consideration.length),
    ...consideration.map((each) => `${item(each)}${addressDigits(each.recipient)}`),
  ];
  return `0x${words.join("")}`;
};

const toTransaction = (
  number: number,
  index: number,
  from: Address,
  to: Address,
  value: bigint,
  logs: readonly ChainLog[],
): ChainTransaction => ({
  index,
  hash: hexOf(kinds.transaction, number, 8),
  from,
  to,
  value,
  nonce: BigInt(number),
  gasLimit: 400_000n,
  input: "0xfb0f3ee1",
  type: 2,
  successful: true,
  gasUsed: 180_000n,
  effectiveGasPrice: 2n * 10n ** 9n,
  createdContract: null,
  l1Fee: null,
  blobFee: null,
  logs,
  traces: [],
});
