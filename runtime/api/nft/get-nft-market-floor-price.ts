import { compare, type Decimal, parseDecimal } from "../../lib/decimal.ts";
import type { Address } from "../../lib/hex.ts";
import { isoTimestamp, secondsPerDay } from "../../lib/time.ts";
import type { Handlers } from "../context.ts";
import { formatQuote, viewNumber } from "../prices/view-quotes.ts";
import { type MarketDays, marketDays, marketFields } from "./market-days.ts";
import { floorDays, floorOf, type Payment } from "./payment-values.ts";

/** The cheapest sale in the thirty days up to each day, at that day's prices. @throws {RequestError} 404 if the contract is not a collection. */
export const getNftMarketFloorPrice: Handlers["getNftMarketFloorPrice"] = async (request, context) => {
  const market = await marketDays(context, request, floorDays - 1);
  const { nativeToken } = context.chains.get(request.chain.id);
  const lowestUpTo = createLowestPrices(market);
  return {
    ...marketFields(context, request),
    items: market.days.map((day) => {
      const lowest = market.hasAllSalesSince(day - floorDays + 1) ? lowestUpTo(day) : [];
      const { native, quote } = floorOf(lowest, market.rateOf(day));
      return {
        date: isoTimestamp(day * secondsPerDay),
        native_ticker_symbol: nativeToken.symbol,
        native_name: nativeToken.name,
        floor_price_native_quote: viewNumber(native),
        floor_price_quote: viewNumber(quote),
        pretty_floor_price_quote: formatQuote(quote, request.quoteCurrency),
      };
    }),
  };
};

/**
 * Creates the function that returns the lowest price in each payment token over a floor's days. Each day is part of thirty floors, so parsed prices are
 * cached.
 */
const createLowestPrices = ({ salesOf }: MarketDays): ((day: number) => Payment[]) => {
  const values = new Map<string, Decimal>();
  const parse = (price: string): Decimal => {
    const value = values.get(price) ?? parseDecimal(price);
    values.set(price, value);
    return value;
  };
  return (day) => {
    const lowest = new Map<Address, string>();
    for (let saleDay = day - floorDays + 1; saleDay <= day; saleDay += 1) {
      for (const { payment_token, lowest: price } of salesOf(saleDay)) {
        const current = lowest.get(payment_token);
        if (price !== null && (current === undefined || compare(parse(price), parse(current)) < 0)) lowest.set(payment_token, price);
      }
    }
    return [...lowest].map(([payment_token, amount]) => ({ payment_token, amount }));
  };
};
