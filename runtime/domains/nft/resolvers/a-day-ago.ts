import type { Chain } from "../../../../generated/requests.gen.ts";
import { secondsOfDay } from "../../../lib/time.ts";
import type { ResolverContext } from "../../context.ts";

/** The block that held 24 hours ago, and what was held then of what the index did not see: nothing, if it saw all there was. */
export async function aDayAgo({ ledger, now }: Pick<ResolverContext, "ledger" | "now">, chain: Chain) {
  const [block, indexedFrom] = await Promise.all([
    ledger.lastBlockBefore(chain.id, Math.floor(now().getTime() / 1000) - secondsOfDay + 1),
    ledger.indexedFrom(chain.id),
  ]);
  return { block: block?.number ?? null, indexedFrom, otherwise: indexedFrom === null || block !== null ? "0" : null };
}
