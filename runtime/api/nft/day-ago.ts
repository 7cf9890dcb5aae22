import type { Chain } from "../../../generated/requests.gen.ts";
import { secondsPerDay } from "../../lib/time.ts";
import type { ResolverContext } from "../context.ts";

/**
 * The block as of 24 hours ago, at most the anchor, and the balance of tokens that have no row there: 0 if the index includes that time, null if it starts
 * later.
 */
export async function readDayAgo({ anchor, ledger, now }: Pick<ResolverContext, "anchor" | "ledger" | "now">, chain: Chain) {
  const [block, indexedFrom] = await Promise.all([
    ledger.lastBlockBefore(chain.id, Math.floor(now().getTime() / 1000) - secondsPerDay + 1),
    ledger.indexedFrom(chain.id),
  ]);
  return {
    block: block === null || anchor === null ? null : Math.min(block.number, anchor),
    indexedFrom,
    missingBalance: indexedFrom === null || block !== null ? "0" : null,
  };
}
