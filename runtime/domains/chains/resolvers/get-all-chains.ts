import type { Handlers } from "../../context.ts";
import { updatedAt } from "../../views/chain.ts";
import { viewNetwork } from "../../views/network.ts";

/** Every configured network. */
export const getAllChains: Handlers["getAllChains"] = async (_request, context) => ({
  updated_at: updatedAt(context.now()),
  items: context.chains.list().map(viewNetwork),
});
