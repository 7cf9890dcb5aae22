import type { Handlers } from "../context.ts";
import { updatedAt } from "./view-chain.ts";
import { viewNetwork } from "./view-network.ts";

/** Every configured network. */
export const getAllChains: Handlers["getAllChains"] = async (_request, context) => ({
  updated_at: updatedAt(context.contentTime()),
  items: context.chains.all().map(viewNetwork),
});
