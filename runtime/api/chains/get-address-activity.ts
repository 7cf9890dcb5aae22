import { isoTimestamp } from "../../lib/time.ts";
import type { Handlers } from "../context.ts";
import { updatedAt } from "./view-chain.ts";
import { viewNetwork } from "./view-network.ts";

/** The configured networks on which an address was seen; testnets on request. @throws {RequestError} 503 if the balances of one are being rebuilt. */
export const getAddressActivity: Handlers["getAddressActivity"] = async ({ walletAddress, testnets }, context) => {
  const chains = context.chains.list().filter((chain) => testnets || !chain.isTestnet);
  const ids = chains.map(({ id }) => id);
  const [rows] = await Promise.all([context.network.lastSeen(ids, walletAddress), context.requireBuilt(chains, ["tokens"])]);
  const seen = new Map(rows.map(({ chain_id: id, timestamp }) => [id, timestamp]));
  return {
    updated_at: updatedAt(context.now()),
    address: walletAddress,
    items: chains.flatMap((chain) => {
      const time = seen.get(chain.id);
      return time === undefined ? [] : [{ ...viewNetwork(chain), last_seen_at: time === null ? null : isoTimestamp(time) }];
    }),
  };
};
