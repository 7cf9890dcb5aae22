import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { blockWithHash, transactionsOf } from "./pages-of-block.ts";

/** All transactions in the block with the given hash. @throws {RequestError} 404 if the hash is not indexed. */
export const getTransactionsForBlockHash: Handlers["getTransactionsForBlockHash"] = async (
  { chain, blockHash, noLogs, quoteCurrency, withSafe },
  context,
) => {
  const block = await blockWithHash(context, chain, blockHash);
  return {
    ...chainFields(chain, context.contentTime()),
    items: await transactionsOf(context, chain, block.number, { noLogs, quoteCurrency, withSafe }),
  };
};
