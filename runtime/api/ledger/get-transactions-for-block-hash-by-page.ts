import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { blockWithHash, pageOfBlock } from "./pages-of-block.ts";

/** A page of transactions in the block with the given hash. @throws {RequestError} 404 if the hash is not indexed. */
export const getTransactionsForBlockHashByPage: Handlers["getTransactionsForBlockHashByPage"] = async (
  { chain, blockHash, page, noLogs, quoteCurrency, withSafe },
  context,
) => {
  const block = await blockWithHash(context, chain, blockHash);
  const path = `block_hash/${block.hash}`;
  return {
    ...chainFields(chain, context.contentTime()),
    ...(await pageOfBlock(context, chain, block.number, { page, noLogs, quoteCurrency, withSafe, path })),
  };
};
