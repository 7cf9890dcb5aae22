import { chainHead } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";

/** The address that a name leads to, looked up already, and that name; of an address, the name that it claims. */
export const getResolvedAddress: Handlers["getResolvedAddress"] = async ({ chain, walletAddress, walletAddressName }, context) => {
  const name = walletAddressName ?? (await context.names.namesOf(chain.id, [walletAddress])).get(walletAddress) ?? null;
  return { ...chainHead(chain, context.now()), items: [{ address: walletAddress, name }] };
};
