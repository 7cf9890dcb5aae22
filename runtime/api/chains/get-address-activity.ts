import { isEvmChain } from "../../config/config.ts";
import { isoTimestamp } from "../../lib/time.ts";
import type { Handlers } from "../context.ts";
import { unavailableChains, updatedAt } from "./view-chain.ts";
import { viewNetwork } from "./view-network.ts";

/** The configured networks on which an address was seen; testnets on request. @throws {RequestError} 503 if the balances of a network are being rebuilt. */
export const getAddressActivity: Handlers["getAddressActivity"] = async ({ walletAddress, testnets }, context) => {
  const isRequested = (chain: { readonly isTestnet: boolean }): boolean => testnets || !chain.isTestnet;
  const { results, unavailableChainIds } = await context.queryAll(async ({ chains, network }) => {
    const requested = chains.filter((chain) => isEvmChain(chain)).filter(isRequested);
    const ids = requested.map(({ id }) => id);
    const [rows] = await Promise.all([network.lastSeen(ids, walletAddress), context.requireBuilt(requested, ["tokens"])]);
    return rows;
  });
  // Not cached, so that the response is complete as soon as the database responds.
  if (unavailableChainIds.size > 0) context.markVolatile();
  const seen = new Map(results.flat().map(({ chain_id: id, timestamp }) => [id, timestamp]));
  const chains = context.chains.evmChains().filter(isRequested);
  return {
    updated_at: updatedAt(context.contentTime()),
    address: walletAddress,
    items: chains.flatMap((chain) => {
      const time = seen.get(chain.id);
      return time === undefined ? [] : [{ ...viewNetwork(chain), last_seen_at: time === null ? null : isoTimestamp(time) }];
    }),
    unavailable_chains: unavailableChains(chains, unavailableChainIds),
  };
};
