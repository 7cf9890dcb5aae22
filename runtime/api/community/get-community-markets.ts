import type { CommunityMarket } from "../../../generated/responses.gen.ts";
import type { Handlers } from "../context.ts";
import { pageOfOperation } from "./operation-rows.ts";

/** A protocol's markets. */
export const getCommunityMarkets: Handlers["getCommunityMarkets"] = async (request, context) =>
  pageOfOperation<CommunityMarket>(context, request, {
    operation: "markets",
  });
