import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { heightOrHead, pageOfBlock } from "./pages-of-block.ts";

/** A page of a block's transactions. @throws {RequestError} 404 if the height is not indexed. */
export const getTransactionsForBlockByPage: Handlers["getTransactionsForBlockByPage"] = async (
  { chain, blockHeight, page, noLogs, quoteCurrency, withSafe },
  context,
) => {
  const height = await heightOrHead(context, chain, blockHeight);
  const path = `block/${height}`;
  return {
    ...chainFields(chain, context.contentTime()),
    ...(await pageOfBlock(context, chain, height, { page, noLogs, quoteCurrency, withSafe, path })),
  };
};
