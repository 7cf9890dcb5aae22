import type { CachedFields } from "./cached-fields.ts";
import { type DecodedReply, decodeBlock } from "./decode-block.ts";
import { BadReplyError, LimitError } from "./errors.ts";
import { asList, asObject, hash, type Raw, toQuantity } from "./quantities.ts";
import type { Rpc, RpcCall, RpcResult } from "./rpc.ts";

/** Fetches and decodes blocks with their receipts; a block that is too large for one response is requested in parts. @throws {BadReplyError} */
export const fetchReplies = async (
  rpc: Rpc,
  heights: readonly number[],
  blockReceipts: boolean,
  fields?: CachedFields,
): Promise<DecodedReply[]> => {
  const calls = heights.flatMap((height) => (blockReceipts ? [blockCall(height), receiptsCall(height)] : [blockCall(height)]));
  // A block and its receipts are adjacent, so that both are in one request.
  const results = await rpc.settle(calls);
  const callsPerBlock = blockReceipts ? 2 : 1;
  const blocks = await Promise.all(
    heights.map(async (height, position) => {
      const result = results[callsPerBlock * position];
      const value = isTooLarge(result) ? await fetchBlockInParts(rpc, height) : valueIn(result);
      if (value === null || value === undefined) throw new BadReplyError(`The node does not have block ${height} yet.`);
      return asObject(value, "block");
    }),
  );
  const receipts = blockReceipts
    ? await Promise.all(blocks.map((block, position) => readOrFetchReceipts(rpc, block, results[2 * position + 1])))
    : await fetchSingleReceipts(rpc, blocks);
  return blocks.map((block, position) => decodeBlock(block, receipts[position], fields));
};

const blockCall = (height: number): RpcCall => ({
  method: "eth_getBlockByNumber",
  params: [toQuantity(height), true],
  divisible: true,
});
const receiptsCall = (height: number): RpcCall => ({ method: "eth_getBlockReceipts", params: [toQuantity(height)], divisible: true });

const isTooLarge = (result: RpcResult | undefined): boolean => result?.ok === false && result.error instanceof LimitError;

const valueIn = (result: RpcResult | undefined): unknown => {
  if (result === undefined) throw new BadReplyError("The node returned no result for a call.");
  if (!result.ok) throw result.error;
  return result.value;
};

/** Fetches the header with the transaction hashes, then each transaction by its hash. */
const fetchBlockInParts = async (rpc: Rpc, height: number): Promise<Raw | null> => {
  const header = await rpc.request("eth_getBlockByNumber", [toQuantity(height), false]);
  if (header === null) return null;
  const raw = asObject(header, "block");
  const hashes = asList(raw.transactions, "transactions");
  return { ...raw, transactions: await rpc.batch(hashes.map((item) => ({ method: "eth_getTransactionByHash", params: [item] }))) };
};

const readOrFetchReceipts = async (rpc: Rpc, block: Raw, result: RpcResult | undefined): Promise<unknown> =>
  isTooLarge(result) ? (await fetchSingleReceipts(rpc, [block]))[0] : valueIn(result);

/** Each block's receipts, requested one by one. */
const fetchSingleReceipts = async (rpc: Rpc, blocks: readonly Raw[]): Promise<unknown[][]> => {
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

const transactionHashes = (block: Raw): string[] =>
  asList(block.transactions, "transactions").map((transaction) => hash(asObject(transaction, "transaction"), "hash"));
