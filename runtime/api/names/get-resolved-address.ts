import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";

/** The address of a name, which the request parser has resolved, with the name; for an address, its reverse name. */
export const getResolvedAddress: Handlers["getResolvedAddress"] = async ({ chain, walletAddress, walletAddressName }, context) => {
  const name = walletAddressName ?? (await context.names.namesOf(chain.id, [walletAddress])).get(walletAddress) ?? null;
  return { ...chainFields(chain, context.now()), items: [{ address: walletAddress, name }] };
};
