import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { decodeBlock } from "../../../runtime/chain/decode-block.ts";
import { InvalidResponseError } from "../../../runtime/chain/errors.ts";
import type { ChainBlock } from "../../../runtime/chain/types.ts";
import { createStoredLedger } from "../../../runtime/domains/ledger/stored-blocks.ts";
import type { Hex } from "../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createTestIndexer } from "../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";

const hash = (digit: string): Hex => `0x${digit.repeat(64)}`;
const address = (digit: string): Hex => `0x${digit.repeat(40)}`;
const hex = (value: bigint): Hex => `0x${value.toString(16)}`;
type Fields = Record<string, unknown>;

/** A block with one transaction and one withdrawal as a node returns it, with some fields changed. */
const decodeWith = ({ block = {}, transaction = {}, receipt = {}, withdrawal = {} }: Record<string, Fields>): ChainBlock =>
  decodeBlock(
    {
      ...{
        number: "0x5",
        hash: hash("a"),
        parentHash: hash("b"),
        timestamp: "0x1",
        miner: address("c"),
        extraData: "0x",
        gasUsed: "0x5208",
      },
      ...{ gasLimit: "0x1c9c380", baseFeePerGas: "0x7", size: "0x200", logsBloom: "0x00" },
      transactions: [
        {
          ...{ transactionIndex: "0x0", hash: hash("d"), blockHash: hash("a"), from: address("1"), to: address("2"), value: "0x1" },
          ...{ nonce: "0x0", gas: "0x5208", input: "0x", type: "0x2", ...transaction },
        },
      ],
      withdrawals: [{ index: "0x0", validatorIndex: "0x0", address: address("3"), amount: "0x1", ...withdrawal }],
      ...block,
    },
    [
      {
        ...{ transactionHash: hash("d"), transactionIndex: "0x0", blockHash: hash("a"), status: "0x1", gasUsed: "0x5208" },
        ...{ cumulativeGasUsed: "0x5208", effectiveGasPrice: "0x1", logs: [], ...receipt },
      },
    ],
  ).block;

const maxSafeInteger = 2n ** 53n - 1n;
const maxUint256 = 2n ** 256n - 1n;
const firstTransaction = (block: ChainBlock) => block.transactions[0];

/**
 * The numbers in a node's responses: the largest accepted value, a function that decodes a block with a value, one that reads the value from the block,
 * and the error for a larger value (null for 32-byte words, because longer ones are rejected).
 */
const numberCases: readonly [string, bigint, (value: Hex) => ChainBlock, (block: ChainBlock) => unknown, RegExp | null][] = [
  [
    "a block's height",
    maxSafeInteger,
    (number) => decodeWith({ block: { number } }),
    (block) => block.number,
    /number from the node: expected a quantity below 2\^53/,
  ],
  [
    "a block's time",
    // 9999-12-31T23:59:59Z
    BigInt(Date.UTC(9999, 11, 31, 23, 59, 59) / 1000),
    (timestamp) => decodeWith({ block: { timestamp } }),
    (block) => block.timestamp,
    /timestamp from the node: expected a time in seconds, up to the year 9999/,
  ],
  [
    "a block's size",
    maxSafeInteger,
    (size) => decodeWith({ block: { size } }),
    (block) => block.size,
    /size from the node: expected a quantity below 2\^53/,
  ],
  ["a block's gas limit", maxUint256, (gasLimit) => decodeWith({ block: { gasLimit } }), (block) => block.gasLimit, null],
  [
    "a block's gas used",
    maxSafeInteger,
    (gasUsed) => decodeWith({ block: { gasUsed } }),
    (block) => block.gasUsed,
    /gasUsed from the node: expected a quantity below/,
  ],
  ["a base fee", maxUint256, (baseFeePerGas) => decodeWith({ block: { baseFeePerGas } }), (block) => block.baseFeePerGas, null],
  [
    "a nonce",
    // The largest int8.
    2n ** 63n - 1n,
    (nonce) => decodeWith({ transaction: { nonce } }),
    (block) => firstTransaction(block)?.nonce,
    /nonce from the node: expected a quantity below 2\^63/,
  ],
  ["a gas limit", maxUint256, (gas) => decodeWith({ transaction: { gas } }), (block) => firstTransaction(block)?.gasLimit, null],
  ["a value", maxUint256, (value) => decodeWith({ transaction: { value } }), (block) => firstTransaction(block)?.value, null],
  [
    "a transaction type",
    255n,
    (type) => decodeWith({ transaction: { type } }),
    (block) => firstTransaction(block)?.type,
    /type from the node: expected a transaction type of one byte/,
  ],
  [
    "gas used",
    maxSafeInteger,
    (gasUsed) => decodeWith({ receipt: { gasUsed } }),
    (block) => firstTransaction(block)?.gasUsed,
    /gasUsed from the node: expected a quantity below/,
  ],
  [
    "a gas price",
    // At this price, 21,000 gas cost the largest fee below 2^256 wei.
    maxUint256 / 21_000n,
    (effectiveGasPrice) => decodeWith({ receipt: { effectiveGasPrice } }),
    (block) => firstTransaction(block)?.effectiveGasPrice,
    /a fee of 2\^256 wei or more for transaction 0xd+/,
  ],
  [
    "an L1 fee",
    // In addition to 21,000 gas at 1 wei.
    maxUint256 - 21_000n,
    (l1Fee) => decodeWith({ receipt: { l1Fee } }),
    (block) => firstTransaction(block)?.l1Fee,
    /a fee of 2\^256 wei or more/,
  ],
  [
    "a blob gas price",
    // With 2^17 blob gas.
    (maxUint256 - 21_000n) / 2n ** 17n,
    (blobGasPrice) => decodeWith({ receipt: { blobGasUsed: "0x20000", blobGasPrice } }),
    (block) => (firstTransaction(block)?.blobFee ?? 0n) / 2n ** 17n,
    /a fee of 2\^256 wei or more/,
  ],
  [
    "a validator index",
    maxSafeInteger,
    (validatorIndex) => decodeWith({ withdrawal: { validatorIndex } }),
    (block) => block.withdrawals[0]?.validatorIndex,
    /validatorIndex from the node: expected a quantity below/,
  ],
  ["a withdrawn amount", maxUint256, (amount) => decodeWith({ withdrawal: { amount } }), (block) => block.withdrawals[0]?.amountGwei, null],
];

describe("decodeBlock", () => {
  it.each(numberCases)(
    "decodes %s exactly up to the largest valid value, and rejects a larger one",
    (_, largest, decode, readValue, error) => {
      expect(BigInt(String(readValue(decode(hex(largest)))))).toBe(largest);
      expect(() => decode(error === null ? hex(maxUint256 * 16n) : hex(largest + 1n))).toThrow(InvalidResponseError);
      if (error !== null) expect(() => decode(hex(largest + 1n))).toThrow(error);
    },
  );
});

describe("the largest numbers in the index", () => {
  let chain: TestChain;
  let proxy: RpcProxy;
  let testDatabase: TestDatabase;
  beforeAll(async () => {
    chain = await startTestChain();
    proxy = await startRpcProxy(chain.url);
    testDatabase = await createTestDatabase();
    await chain.send({ to: chain.accounts[1] as Hex, value: 1n });
    await chain.mine(Number(numberCases[1]?.[1]));
  });
  afterAll(async () => {
    await proxy?.close();
    await testDatabase?.drop();
    await chain?.stop();
  });

  it("are stored and read back as the node returned them", async () => {
    // The proxy sets the nonce, because anvil accepts only the next nonce of an account.
    proxy.tamper = (method, reply) => {
      const block = reply.result as { number: string; gasLimit: Hex; size: Hex; transactions: Fields[] } | null;
      if (method !== "eth_getBlockByNumber" || block?.number !== "0x1") return;
      Object.assign(block, { gasLimit: hex(maxUint256), size: hex(maxSafeInteger) });
      for (const transaction of block.transactions) {
        // A block that is requested without transactions contains only their hashes.
        if (typeof transaction === "object")
          Object.assign(transaction, { gas: hex(2n ** 64n - 1n), nonce: hex(2n ** 63n - 1n), type: "0xff" });
      }
    };
    const indexer = await createTestIndexer(proxy.url, testDatabase.database);
    await indexer.runToHead(1);
    await indexer.close();
    const [, stored] = await createStoredLedger(testDatabase.database, 31337).blocks(0, 1, "none");
    expect(stored).toMatchObject({ gasLimit: maxUint256, size: Number(maxSafeInteger), timestamp: Number(numberCases[1]?.[1]) });
    expect(stored?.transactions[0]).toMatchObject({ gasLimit: 2n ** 64n - 1n, nonce: 2n ** 63n - 1n, type: 255 });
    // A failed attempt would have logged a warning.
    expect(indexer.warnings).toEqual([]);
  });
});
