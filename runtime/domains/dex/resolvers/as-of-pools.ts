import type { Chain } from "../../../../generated/requests.gen.ts";
import type { ResolverContext } from "../../context.ts";

/**
 * An answer as of the last block whose pools are in the index. While they are being built out of the stored ledger the head is above it, and what is not
 * folded yet would be told as days without trade.
 */
export const asOfPools =
  <Request extends { readonly chain: Chain }, Answer>(resolve: (request: Request, context: ResolverContext) => Promise<Answer>) =>
  async (request: Request, context: ResolverContext): Promise<Answer> => {
    const { anchor, pools } = context;
    const synced = await pools.syncedBlock(request.chain.id);
    return resolve(request, { ...context, anchor: anchor === null || synced === null ? null : Math.min(anchor, synced) });
  };
