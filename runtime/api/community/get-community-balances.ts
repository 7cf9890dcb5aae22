import type { CommunityBalance } from "../../../generated/responses.gen.ts";
import type { Handlers } from "../context.ts";
import { pageOfOperation } from "./operation-rows.ts";

/** A wallet's positions in a protocol. */
export const getCommunityBalances: Handlers["getCommunityBalances"] = async (request, context) => ({
  address: request.address,
  ...(await pageOfOperation<CommunityBalance>(context, request, {
    operation: "balances",
    wallet: request.address,
  })),
});
