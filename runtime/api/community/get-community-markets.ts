import type { CommunityMarket } from "../../../generated/responses.gen.ts";
import type { Handlers } from "../context.ts";
import { pageOfOperation } from "./operation-rows.ts";

/** The markets of a protocol. */
export const getCommunityMarkets: Handlers["getCommunityMarkets"] = async (request, context) =>
  pageOfOperation<CommunityMarket>(context, request, {
    operation: "markets",
  });
