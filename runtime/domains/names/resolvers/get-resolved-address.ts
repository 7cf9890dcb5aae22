import type { Handlers } from "../../context.ts";
import { chainHead } from "../../views/chain.ts";

/** An address, looked up already where a name was sent, and the name that it claims. */
export const getResolvedAddress: Handlers["getResolvedAddress"] = async ({ chain, walletAddress }, context) => {
  const names = await context.names.namesOf(chain.id, [walletAddress]);
  return { ...chainHead(chain, context.now()), items: [{ address: walletAddress, name: names.get(walletAddress) ?? null }] };
};
