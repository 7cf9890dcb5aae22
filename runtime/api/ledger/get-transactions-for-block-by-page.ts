import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { blockAt, pageOfBlock } from "./pages-of-block.ts";

/** A page of a block's transactions. @throws {RequestError} 404 if the height is not indexed. */
export const getTransactionsForBlockByPage: Handlers["getTransactionsForBlockByPage"] = async (
  { chain, blockHeight, page, noLogs, quoteCurrency, withSafe },
  context,
) => {
  const block = await blockAt(context, chain, blockHeight);
  const path = `block/${block.number}`;
  return {
    ...chainFields(chain, context.now()),
    ...(await pageOfBlock(context, chain, block, { page, noLogs, quoteCurrency, withSafe, path })),
  };
};
