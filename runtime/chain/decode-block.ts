import { type CachedFields, createCachedFields } from "./cached-fields.ts";
import { InvalidResponseError } from "./errors.ts";
import {
  asList,
  asObject,
  bigQuantityBelow,
  quantityUpTo,
  type RawObject,
  readBigQuantity,
  readData,
  readHash,
  readOptional,
  readQuantity,
  uncheckedText,
} from "./quantities.ts";
import type { ChainBlock, ChainLog, ChainTransaction, ChainWithdrawal } from "./types.ts";

/** Block fields that are only used to verify the block. */
export interface BlockEvidence {
  readonly logsBloom: string;
  /** The block is of Cancun or later (it contains a parent beacon block root, EIP-4788), so SELFDESTRUCT follows EIP-6780. */
  readonly eip6780: boolean;
  readonly transactions: readonly {
    readonly blockHash: string;
    readonly index: number;
    /** Null in transactions before EIP-155. */
    readonly chainId: number | null;
  }[];
  readonly receipts: readonly ReceiptEvidence[];
}

export interface ReceiptEvidence {
  readonly transactionHash: string;
  readonly blockHash: string;
  readonly index: number;
  readonly cumulativeGasUsed: bigint;
  readonly logs: readonly {
    readonly blockHash: string;
    readonly transactionHash: string;
    readonly transactionIndex: number;
    readonly removed: boolean;
  }[];
}

export interface BlockWithEvidence {
  readonly block: ChainBlock;
  readonly evidence: BlockEvidence;
}

/** The last second of the year 9999: later times have no date (RFC 3339, section 1). */
const timestamp = quantityUpTo(253_402_300_799, "a time in seconds, up to the year 9999");
/** The first byte of a transaction (EIP-2718). */
const transactionType = quantityUpTo(0xff, "a transaction type of one byte");
/** EIP-2681 allows nonces below 2^64 - 1; the int8 column stores nonces below 2^63. */
const nonce = bigQuantityBelow(2n ** 63n, "a quantity below 2^63");
/** A block uses far less than 2^53 gas, up to which numbers are exact. */
const gasUsed = (raw: RawObject): bigint => BigInt(readQuantity(raw, "gasUsed"));
/** A balance is a 256-bit number, so no fee can reach this. */
const feeLimit = 2n ** 256n;

/**
 * Decodes a result of eth_getBlockByNumber with transactions, and its receipts in order, as one block; checks every quantity.
 * @throws {InvalidResponseError}
 */
export const decodeBlock = (rawBlock: unknown, rawReceipts: unknown, fields: CachedFields = createCachedFields()): BlockWithEvidence => {
  const raw = asObject(rawBlock, "block");
  const rawTransactions = asList(raw.transactions, "transactions").map((item) => asObject(item, "transaction"));
  const receipts = asList(rawReceipts, "receipts").map((item) => asObject(item, "receipt"));
  if (receipts.length !== rawTransactions.length) {
    throw new InvalidResponseError(
      `The node returned ${receipts.length} receipts for the ${rawTransactions.length} transactions of block ${readQuantity(raw, "number")}.`,
    );
  }
  const block: ChainBlock = {
    number: readQuantity(raw, "number"),
    hash: readHash(raw, "hash"),
    parentHash: readHash(raw, "parentHash"),
    timestamp: timestamp(raw, "timestamp"),
    miner: fields.address(raw, "miner"),
    extraData: readData(raw, "extraData"),
    gasUsed: gasUsed(raw),
    gasLimit: readBigQuantity(raw, "gasLimit"),
    baseFeePerGas: readOptional(raw, "baseFeePerGas", readBigQuantity),
    size: readQuantity(raw, "size"),
    transactions: rawTransactions.map((transaction, index) => decodeTransaction(transaction, receipts[index] ?? {}, fields)),
    withdrawals: asList(raw.withdrawals ?? [], "withdrawals").map((item) => decodeWithdrawal(item, fields)),
    balances: null,
  };
  return {
    block,
    evidence: {
      logsBloom: readData(raw, "logsBloom"),
      eip6780: readOptional(raw, "parentBeaconBlockRoot", readHash) !== null,
      transactions: rawTransactions.map(transactionEvidence),
      receipts: receipts.map(receiptEvidence),
    },
  };
};

const decodeTransaction = (raw: RawObject, receipt: RawObject, fields: CachedFields): ChainTransaction => {
  const status = readOptional(receipt, "status", readQuantity);
  const successful = status === null ? null : status === 1;
  const to = readOptional(raw, "to", fields.address);
  const blobGas = readOptional(receipt, "blobGasUsed", readBigQuantity);
  const transaction: ChainTransaction = {
    index: readQuantity(raw, "transactionIndex"),
    hash: readHash(raw, "hash"),
    from: fields.address(raw, "from"),
    to,
    value: readBigQuantity(raw, "value"),
    nonce: nonce(raw, "nonce"),
    gasLimit: readBigQuantity(raw, "gas"),
    input: readData(raw, "input"),
    type: readOptional(raw, "type", transactionType) ?? 0,
    successful,
    gasUsed: gasUsed(receipt),
    // Receipts before EIP-1559 may lack the effective price, which is then the gas price.
    effectiveGasPrice: readOptional(receipt, "effectiveGasPrice", readBigQuantity) ?? readOptional(raw, "gasPrice", readBigQuantity) ?? 0n,
    // Nodes also set contractAddress for failed contract creations.
    createdContract: to === null && successful !== false ? readOptional(receipt, "contractAddress", fields.address) : null,
    l1Fee: readOptional(receipt, "l1Fee", readBigQuantity),
    blobFee: blobGas === null || blobGas === 0n ? null : blobGas * readBigQuantity(receipt, "blobGasPrice"),
    logs: asList(receipt.logs, "logs").map((log) => decodeLog(asObject(log, "log"), fields)),
    traces: null,
  };
  const fee = transaction.gasUsed * transaction.effectiveGasPrice + (transaction.l1Fee ?? 0n) + (transaction.blobFee ?? 0n);
  if (fee >= feeLimit) throw new InvalidResponseError(`The node returned a fee of 2^256 wei or more for transaction ${transaction.hash}.`);
  return transaction;
};

const decodeLog = (raw: RawObject, fields: CachedFields): ChainLog => {
  const topics = asList(raw.topics, "topics");
  if (topics.length > 4) throw new InvalidResponseError(`The node returned a log with ${topics.length} topics; expected at most 4.`);
  return {
    index: readQuantity(raw, "logIndex"),
    address: fields.address(raw, "address"),
    topics: topics.map((topic) => fields.hash({ topic }, "topic")),
    data: readData(raw, "data"),
  };
};

const decodeWithdrawal = (item: unknown, fields: CachedFields): ChainWithdrawal => {
  const raw = asObject(item, "withdrawal");
  return {
    index: readQuantity(raw, "index"),
    validatorIndex: readQuantity(raw, "validatorIndex"),
    address: fields.address(raw, "address"),
    amountGwei: readBigQuantity(raw, "amount"),
  };
};

const transactionEvidence = (raw: RawObject) => ({
  blockHash: uncheckedText(raw, "blockHash"),
  index: readQuantity(raw, "transactionIndex"),
  chainId: readOptional(raw, "chainId", readQuantity),
});

const receiptEvidence = (raw: RawObject): ReceiptEvidence => ({
  transactionHash: uncheckedText(raw, "transactionHash"),
  blockHash: uncheckedText(raw, "blockHash"),
  index: readQuantity(raw, "transactionIndex"),
  cumulativeGasUsed: readBigQuantity(raw, "cumulativeGasUsed"),
  logs: asList(raw.logs, "logs").map((item) => {
    const log = asObject(item, "log");
    return {
      blockHash: uncheckedText(log, "blockHash"),
      transactionHash: uncheckedText(log, "transactionHash"),
      transactionIndex: readQuantity(log, "transactionIndex"),
      removed: log.removed === true,
    };
  }),
});
