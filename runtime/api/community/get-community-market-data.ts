import type { CommunityMarketData } from "../../../generated/responses.gen.ts";
import type { Handlers } from "../context.ts";
import { pageOfOperation } from "./operation-rows.ts";

/** A protocol's pools or vaults with their amounts. */
export const getCommunityMarketData: Handlers["getCommunityMarketData"] = async (request, context) =>
  pageOfOperation<CommunityMarketData>(context, request, {
    operation: "market_data",
    pool: request.poolAddress,
  });
