import { nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { type CToken, readAt } from "../../../integration/domains/community/ctokens/market.ts";
import { blocksPerYearAt, type MarketView, marketAt, positionAt, ratesAt } from "../../../integration/domains/community/ctokens/views.ts";
import { demoContracts } from "../../../support/demo-contracts.ts";
import { addressIn, type ExpectationContext, type ExpectedResponses, itemsOf } from "./expected.ts";

/** The expected responses for protocol 04 (`cToken`) or 08 (`vToken`). */
export const expectMoneyMarkets = (context: ExpectationContext, prefix: "cToken" | "vToken"): ExpectedResponses => {
  const collateral: CToken = {
    address: addressIn(context, `${prefix}Collateral`),
    asset: prefix === "cToken" ? null : addressIn(context, "goldToken"),
    decimals: 18,
  };
  const dollar: CToken = { address: addressIn(context, `${prefix}Dollar`), asset: addressIn(context, "usdToken"), decimals: 6 };
  const allMarkets = [collateral, dollar];
  const view: MarketView = (market, name, args, height) =>
    readAt(context, demoContracts(market.asset === null ? "NativeMarket" : "TokenMarket"), market.address, name, args, height);
  return {
    markets: async (height) => {
      const dollarsOf = context.valueAt(height);
      const blocksPerYear = await blocksPerYearAt(context, height);
      const entries = allMarkets.map(async (market) => {
        const { tokens, borrows, cash, supply, utilization } = await marketAt(view, market, height);
        const asset = market.asset ?? nativeTokenAddress;
        const fields = {
          ...{ asset_address: asset, asset_decimals: market.decimals, block_height: height },
          ...{ total_supply: String(supply), total_borrow: String(borrows), available_liquidity: String(cash) },
          ...{ lp_token_address: market.address, lp_token_total_supply: String(tokens), utilization_rate: utilization },
          ...(await ratesAt(context, view, market, height, blocksPerYear)),
          total_value_locked_quote: dollarsOf(asset, supply),
          total_supply_quote: dollarsOf(asset, supply),
          total_borrow_quote: dollarsOf(asset, borrows),
        };
        return [market.address, fields] as const;
      });
      return itemsOf(await Promise.all(entries));
    },
    balances: async (wallet, height) => {
      const dollarsOf = context.valueAt(height);
      const entries = allMarkets.map(async (market) => {
        const { supplied, borrowed, holdsTokens } = await positionAt(view, market, wallet, height);
        const item = (amount: bigint) => ({ balance: String(amount), quote: dollarsOf(market.asset ?? nativeTokenAddress, amount) });
        return [
          holdsTokens ? ([`supplied ${market.address}`, item(supplied)] as const) : null,
          borrowed > 0n ? ([`borrowed ${market.address}`, item(borrowed)] as const) : null,
        ];
      });
      return itemsOf((await Promise.all(entries)).flat());
    },
  };
};
