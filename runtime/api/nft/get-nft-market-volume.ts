import { isoTimestamp, secondsPerDay } from "../../lib/time.ts";
import type { Handlers } from "../context.ts";
import { formatQuote, viewNumber } from "../prices/view-quotes.ts";
import { marketDays, marketFields } from "./market-days.ts";
import { volumeOf } from "./payment-values.ts";

/** A collection's daily sales volume, at each day's prices. @throws {RequestError} 404 if the contract is not a collection. */
export const getNftMarketVolume: Handlers["getNftMarketVolume"] = async (request, context) => {
  const market = await marketDays(context, request);
  const { nativeToken } = context.chains.get(request.chain.id);
  return {
    ...marketFields(context, request),
    items: market.days.map((day) => {
      const sales = market.salesOf(day);
      const rate = market.rateOf(day);
      const unknown = { native: null, quote: null };
      const total = market.hasAllSalesSince(day) ? volumeOf(sales, rate) : unknown;
      const washSales = sales.filter(({ wash_sales }) => wash_sales > 0).map((row) => ({ ...row, amount: row.wash_amount }));
      const wash = market.hasAllSalesSince(day) ? volumeOf(washSales, rate) : unknown;
      return {
        date: isoTimestamp(day * secondsPerDay),
        native_ticker_symbol: nativeToken.symbol,
        native_name: nativeToken.name,
        volume_quote: viewNumber(total.quote),
        volume_native_quote: viewNumber(total.native),
        pretty_volume_quote: formatQuote(total.quote, request.quoteCurrency),
        wash_volume_quote: viewNumber(wash.quote),
        wash_volume_native_quote: viewNumber(wash.native),
      };
    }),
  };
};
