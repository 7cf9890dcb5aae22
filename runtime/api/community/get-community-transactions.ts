import type { CommunityTransaction } from "../../../generated/responses.gen.ts";
import type { Handlers } from "../context.ts";
import { pageOfOperation } from "./operation-rows.ts";

/** The actions of a wallet in a protocol, newest first. */
export const getCommunityTransactions: Handlers["getCommunityTransactions"] = async (request, context) => ({
  address: request.address,
  ...(await pageOfOperation<CommunityTransaction>(context, request, {
    operation: "transactions",
    wallet: request.address,
  })),
});
