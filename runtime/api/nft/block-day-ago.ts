import type { Chain } from "../../../generated/requests.gen.ts";
import { secondsPerDay } from "../../lib/time.ts";
import type { ResolverContext } from "../context.ts";

/**
 * The last block as of 24 hours ago, not above the anchor, and the balance for tokens without a row at that block: 0 if the index covers that time, null if
 * it starts later.
 */
export async function readBlockDayAgo(
  { anchor, indexedFrom, ledger, contentTime }: Pick<ResolverContext, "anchor" | "indexedFrom" | "ledger" | "contentTime">,
  chain: Chain,
) {
  const block = await ledger.lastBlockBefore(chain.id, Math.floor(contentTime().getTime() / 1000) - secondsPerDay + 1);
  return {
    block: block === null || anchor === null ? null : Math.min(block.number, anchor),
    indexedFrom,
    missingBalance: indexedFrom === null || block !== null ? "0" : null,
  };
}
