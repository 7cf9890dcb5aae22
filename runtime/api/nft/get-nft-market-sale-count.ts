import { isoTimestamp, secondsPerDay } from "../../lib/time.ts";
import type { Handlers } from "../context.ts";
import { marketDays, marketFields } from "./market-days.ts";

/** The daily number of sales in a collection. @throws {RequestError} 404 if the contract is not a collection. */
export const getNftMarketSaleCount: Handlers["getNftMarketSaleCount"] = async (request, context) => {
  const market = await marketDays(context, request);
  return {
    ...marketFields(context, request),
    items: market.days.map((day) => {
      const sum = (column: "sales" | "wash_sales") =>
        market.hasAllSalesSince(day) ? market.salesOf(day).reduce((total, row) => total + row[column], 0) : null;
      return { date: isoTimestamp(day * secondsPerDay), sale_count: sum("sales"), wash_sale_count: sum("wash_sales") };
    }),
  };
};
