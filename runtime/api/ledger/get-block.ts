import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { blockAt } from "./pages-of-block.ts";
import { viewBlock } from "./view-block.ts";

/** The block at a height. @throws {RequestError} 404 if the height is not indexed. */
export const getBlock: Handlers["getBlock"] = async ({ chain, blockHeight }, context) => {
  const block = await blockAt(context, chain, blockHeight);
  return { ...chainFields(chain, context.contentTime()), items: [viewBlock(context, chain.name, block)] };
};
