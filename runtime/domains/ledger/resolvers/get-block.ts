import type { Handlers } from "../../context.ts";
import { viewBlock } from "../../views/block.ts";
import { chainHead } from "../../views/chain.ts";
import { blockAt } from "./pages-of-block.ts";

/** One block. @throws {notFound} a height that is not indexed. */
export const getBlock: Handlers["getBlock"] = async ({ chain, blockHeight }, context) => {
  const block = await blockAt(context, chain, blockHeight);
  return { ...chainHead(chain, context.now()), items: [viewBlock(context, chain.name, block)] };
};
