import type { CachedFields } from "./cached-fields.ts";
import { type BlockWithEvidence, decodeBlock } from "./decode-block.ts";
import { InvalidResponseError, LimitError } from "./errors.ts";
import { asList, asObject, type RawObject, readHash, toQuantity } from "./quantities.ts";
import type { Rpc, RpcCall, RpcResult } from "./rpc.ts";

/** Fetches and decodes blocks with their receipts; a block that is too large for one response is requested in parts. @throws {InvalidResponseError} */
export const fetchBlocksWithReceipts = async (
  rpc: Rpc,
  heights: readonly number[],
  hasBlockReceipts: boolean,
  fields?: CachedFields,
): Promise<BlockWithEvidence[]> => {
  const calls = heights.flatMap((height) => (hasBlockReceipts ? [blockCall(height), receiptsCall(height)] : [blockCall(height)]));
  // A block and its receipts are adjacent, so that both are in one request.
  const results = await rpc.settle(calls);
  const callsPerBlock = hasBlockReceipts ? 2 : 1;
  const blocks = await Promise.all(
    heights.map(async (height, position) => {
      const result = results[callsPerBlock * position];
      const value = isTooLarge(result) ? await fetchBlockInParts(rpc, height) : valueIn(result);
      if (value === null || value === undefined) throw new InvalidResponseError(`The node does not have block ${height} yet.`);
      return asObject(value, "block");
    }),
  );
  const receipts = hasBlockReceipts
    ? await Promise.all(blocks.map((block, position) => readOrFetchReceipts(rpc, block, results[2 * position + 1])))
    : await fetchSingleReceipts(rpc, blocks);
  return blocks.map((block, position) => decodeBlock(block, receipts[position], fields));
};

const blockCall = (height: number): RpcCall => ({
  method: "eth_getBlockByNumber",
  params: [toQuantity(height), true],
  isDivisible: true,
});
const receiptsCall = (height: number): RpcCall => ({ method: "eth_getBlockReceipts", params: [toQuantity(height)], isDivisible: true });

const isTooLarge = (result: RpcResult | undefined): boolean => result?.ok === false && result.error instanceof LimitError;

const valueIn = (result: RpcResult | undefined): unknown => {
  if (result === undefined) throw new InvalidResponseError("The node returned no result for a call.");
  if (!result.ok) throw result.error;
  return result.value;
};

/** Fetches the header with the transaction hashes, then each transaction by its hash. */
const fetchBlockInParts = async (rpc: Rpc, height: number): Promise<RawObject | null> => {
  const header = await rpc.request("eth_getBlockByNumber", [toQuantity(height), false]);
  if (header === null) return null;
  const raw = asObject(header, "block");
  const hashes = asList(raw.transactions, "transactions");
  return { ...raw, transactions: await rpc.batch(hashes.map((item) => ({ method: "eth_getTransactionByHash", params: [item] }))) };
};

const readOrFetchReceipts = async (rpc: Rpc, block: RawObject, result: RpcResult | undefined): Promise<unknown> =>
  isTooLarge(result) ? (await fetchSingleReceipts(rpc, [block]))[0] : valueIn(result);

/** Each block's receipts, requested one by one. */
const fetchSingleReceipts = async (rpc: Rpc, blocks: readonly RawObject[]): Promise<unknown[][]> => {
  const hashes = blocks.map(transactionHashes);
  const receipts = await rpc.batch(
    hashes.flat().map((transactionHash) => ({ method: "eth_getTransactionReceipt", params: [transactionHash] })),
  );
  let end = 0;
  return hashes.map(({ length }) => {
    end += length;
    return receipts.slice(end - length, end);
  });
};

const transactionHashes = (block: RawObject): string[] =>
  asList(block.transactions, "transactions").map((transaction) => readHash(asObject(transaction, "transaction"), "hash"));
