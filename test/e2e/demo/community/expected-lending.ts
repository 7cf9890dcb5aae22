import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import type { LendingReserve } from "../../../integration/domains/community/lending/market.ts";
import { viewsOf } from "../../../integration/domains/community/lending/views.ts";
import { encodeCall } from "../../../support/chain.ts";
import { demoContracts } from "../../../support/demo-contracts.ts";
import { addressIn, type ExpectationContext, type ExpectedResponses, itemsOf } from "./expected.ts";

/** Reads the story pools' reserves. The first three words of a reserve's state are its tokens' addresses. */
const readReserves = async (context: ExpectationContext): Promise<LendingReserve[]> => {
  const [dollar, gold] = [addressIn(context, "usdToken"), addressIn(context, "goldToken")];
  const [pool, poolV2] = [addressIn(context, "lendingPool"), addressIn(context, "lendingPoolV2")];
  const reserves = [
    { pool, isV2: false, address: dollar, decimals: 6 },
    { pool, isV2: false, address: gold, decimals: 18 },
    { pool: poolV2, isV2: true, address: dollar, decimals: 6 },
  ];
  return Promise.all(
    reserves.map(async ({ pool: to, isV2, address, decimals }) => {
      const state = await context.rpc<Hex>("eth_call", [encodeCall(demoContracts("LendingPool"), to, "reserves", [address]), "latest"]);
      const [aToken, variableDebt, stableDebt] = [0, 1, 2].map((word): Address => `0x${state.slice(26 + 64 * word, 66 + 64 * word)}`);
      const tokens = { aToken, variableDebt, stableDebt } as Pick<LendingReserve, "aToken" | "variableDebt" | "stableDebt">;
      return { pool: to, isV2, coin: { address, decimals, price: 0 }, ...tokens };
    }),
  );
};

/** The expected responses for protocol 01. */
export const expectLending = async (context: ExpectationContext): Promise<ExpectedResponses> => {
  const reserves = await readReserves(context);
  const views = viewsOf(context);
  const assetOf = (aToken: string): Address => {
    const reserve = reserves.find((candidate) => candidate.aToken === aToken);
    if (reserve === undefined) throw new Error(`No reserve has the aToken ${aToken}`);
    return reserve.coin.address;
  };
  return {
    markets: async (height) => {
      const dollarsOf = context.valueAt(height);
      const entries = reserves.map(async (reserve) => {
        const { supplied, variableDebt, stableDebt, available, supplyRate, borrowRate } = await views.reserveAt(reserve, height);
        const { aToken, coin } = reserve;
        const lent = variableDebt + stableDebt;
        const fields = {
          ...{ asset_address: coin.address, asset_decimals: coin.decimals, block_height: height },
          ...{ total_supply: String(supplied), total_borrow: String(lent), available_liquidity: String(available) },
          ...{ lp_token_address: aToken, lp_token_total_supply: String(supplied), supply_rate: supplyRate, borrow_rate: borrowRate },
          utilization_rate: lent === 0n ? 0 : Number(lent) / Number(lent + available),
          total_value_locked_quote: dollarsOf(coin.address, supplied),
          total_supply_quote: dollarsOf(coin.address, supplied),
          total_borrow_quote: dollarsOf(coin.address, lent),
        };
        return [aToken, fields] as const;
      });
      return itemsOf(await Promise.all(entries));
    },
    balances: async (wallet, height) => {
      const dollarsOf = context.valueAt(height);
      const positions = Object.entries(await views.positionsAt(reserves, wallet, height));
      return itemsOf(
        positions.map(([key, balance]) => [key, { balance, quote: dollarsOf(assetOf(key.split(" ")[1] ?? ""), BigInt(balance)) }]),
      );
    },
  };
};
