import type { Chain } from "../../../generated/requests.gen.ts";
import { secondsOfDay } from "../../lib/time.ts";
import type { ResolverContext } from "../context.ts";

/** The block that held 24 hours ago, at most the anchor, and what was held then of what the index did not see: nothing, if it saw all there was. */
export async function aDayAgo({ anchor, ledger, now }: Pick<ResolverContext, "anchor" | "ledger" | "now">, chain: Chain) {
  const [block, indexedFrom] = await Promise.all([
    ledger.lastBlockBefore(chain.id, Math.floor(now().getTime() / 1000) - secondsOfDay + 1),
    ledger.indexedFrom(chain.id),
  ]);
  return {
    block: block === null || anchor === null ? null : Math.min(block.number, anchor),
    indexedFrom,
    otherwise: indexedFrom === null || block !== null ? "0" : null,
  };
}
