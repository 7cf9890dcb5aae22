import type { Chain } from "../../../../generated/requests.gen.ts";
import type { ResolverContext } from "../../context.ts";

/** An answer as of the last block whose collections are in the index: while they are being built out of the stored ledger, the head is above it. */
export const asOfCollections =
  <Request extends { readonly chain: Chain }, Answer>(resolve: (request: Request, context: ResolverContext) => Promise<Answer>) =>
  async (request: Request, context: ResolverContext): Promise<Answer> => {
    const { anchor, nfts, pin } = context;
    const synced = await nfts.syncedNftBlock(request.chain.id);
    if (synced !== null) pin(synced);
    return resolve(request, { ...context, anchor: anchor === null || synced === null ? null : Math.min(anchor, synced) });
  };
