import { nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { type CToken, readAt } from "../../../integration/domains/community/ctokens/market.ts";
import { blocksPerYearAt, type MarketView, marketAt, positionAt, ratesAt } from "../../../integration/domains/community/ctokens/views.ts";
import { demoContracts } from "../../../support/demo-contracts.ts";
import { addressIn, type ExpectedResponses, itemsOf, type World } from "./expected.ts";

/** The answers of protocol 04 (`cToken`) or 08 (`vToken`). */
export const expectMoneyMarkets = (world: World, prefix: "cToken" | "vToken"): ExpectedResponses => {
  const collateral: CToken = {
    address: addressIn(world, `${prefix}Collateral`),
    asset: prefix === "cToken" ? null : addressIn(world, "goldToken"),
    decimals: 18,
  };
  const dollar: CToken = { address: addressIn(world, `${prefix}Dollar`), asset: addressIn(world, "usdToken"), decimals: 6 };
  const all = [collateral, dollar];
  const view: MarketView = (one, name, args, height) =>
    readAt(world, demoContracts(one.asset === null ? "NativeMarket" : "TokenMarket"), one.address, name, args, height);
  return {
    markets: async (height) => {
      const dollarsOf = world.valueAt(height);
      const blocksPerYear = await blocksPerYearAt(world, height);
      const entries = all.map(async (one) => {
        const { tokens, borrows, cash, supply, utilization } = await marketAt(view, one, height);
        const asset = one.asset ?? nativeTokenAddress;
        const fields = {
          ...{ asset_address: asset, asset_decimals: one.decimals, block_height: height },
          ...{ total_supply: String(supply), total_borrow: String(borrows), available_liquidity: String(cash) },
          ...{ lp_token_address: one.address, lp_token_total_supply: String(tokens), utilization_rate: utilization },
          ...(await ratesAt(world, view, one, height, blocksPerYear)),
          total_value_locked_quote: dollarsOf(asset, supply),
          total_supply_quote: dollarsOf(asset, supply),
          total_borrow_quote: dollarsOf(asset, borrows),
        };
        return [one.address, fields] as const;
      });
      return itemsOf(await Promise.all(entries));
    },
    balances: async (wallet, height) => {
      const dollarsOf = world.valueAt(height);
      const entries = all.map(async (one) => {
        const { supplied, borrowed, holdsTokens } = await positionAt(view, one, wallet, height);
        const item = (amount: bigint) => ({ balance: String(amount), quote: dollarsOf(one.asset ?? nativeTokenAddress, amount) });
        return [
          holdsTokens ? ([`supplied ${one.address}`, item(supplied)] as const) : null,
          borrowed > 0n ? ([`borrowed ${one.address}`, item(borrowed)] as const) : null,
        ];
      });
      return itemsOf((await Promise.all(entries)).flat());
    },
  };
};
