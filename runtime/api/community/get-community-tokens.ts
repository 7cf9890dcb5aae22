import type { CommunityPosition } from "../../../generated/responses.gen.ts";
import type { Handlers } from "../context.ts";
import { pageOfOperation } from "./operation-rows.ts";

/** The tokens that a wallet's pool tokens can be redeemed for. */
export const getCommunityTokens: Handlers["getCommunityTokens"] = async (request, context) => ({
  address: request.address,
  ...(await pageOfOperation<CommunityPosition>(context, request, {
    operation: "tokens",
    wallet: request.address,
    pool: request.poolAddress,
  })),
});
