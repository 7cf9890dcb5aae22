import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";

/** A name with its address, which the request parser has resolved, or an address with its reverse name. */
export const getResolvedAddress: Handlers["getResolvedAddress"] = async ({ chain, walletAddress, walletAddressName }, context) => {
  const name = walletAddressName ?? (await context.names.namesOf(chain.id, [walletAddress])).get(walletAddress) ?? null;
  return { ...chainFields(chain, context.contentTime()), items: [{ address: walletAddress, name }] };
};
