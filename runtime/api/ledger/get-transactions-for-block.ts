import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { heightOrHead, transactionsOf } from "./pages-of-block.ts";

/** All transactions in a block. @throws {RequestError} 404 if the height is not indexed. */
export const getTransactionsForBlock: Handlers["getTransactionsForBlock"] = async (
  { chain, blockHeight, noLogs, quoteCurrency, withSafe },
  context,
) => {
  const height = await heightOrHead(context, chain, blockHeight);
  return {
    ...chainFields(chain, context.contentTime()),
    items: await transactionsOf(context, chain, height, { noLogs, quoteCurrency, withSafe }),
  };
};
