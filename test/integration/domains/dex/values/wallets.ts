import { describe, expect, it } from "vitest";
import { type Address, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import { readContract, uniswapV2 } from "../../pools/support.ts";
import { exactValue, secondsPerHour, toDollars } from "../support.ts";
import { allPages, priceOf, reservesAt, total } from "./expected.ts";
import { api, chain, firstHour, head, headTime, logs, people, priced, sides, times } from "./setup.ts";

/** Tests of how wallets' shares and actions are valued. */
export const describeWallets = (): void => {
  describe("shares and actions of wallets", () => {
    it("are valued by the share of the reserves, and the LP token by its price", async () => {
      const hour = Math.floor(headTime() / secondsPerHour);
      const { items } = await api.get(`week/xy=k/swap/address/${people[0]}/balances/`);
      expect(items).toHaveLength(5);
      for (const item of items) {
        const pair = item.pool_token.contract_address as Address;
        const balance = await readContract<bigint>(chain, uniswapV2.pair(), pair, "balanceOf", [people[0]], head);
        const supply = await readContract<bigint>(chain, uniswapV2.pair(), pair, "totalSupply", [], head);
        const reserves = await reservesAt(pair, head);
        for (const side of [0, 1] as const) {
          const token = sides.get(pair)?.[side] ?? "";
          const share = ((reserves[side] ?? 0n) * balance) / supply;
          const sideItem = side === 0 ? item.token_0 : item.token_1;
          expect([sideItem.quote, sideItem.quote_rate]).toEqual([
            toDollars(exactValue(share, priced.get(token), hour)),
            priceOf(token, hour),
          ]);
        }
        expect([item.pool_token.quote, item.pool_token.quote_rate]).toEqual([
          toDollars(exactValue(balance, priced.get(pair), hour)),
          priceOf(pair, hour),
        ]);
      }
    });

    it("are valued at the prices at their blocks' times", async () => {
      const items = await allPages("week/xy=k/swap/transactions/", 50);
      const actions = logs.filter(({ name }) => ["Swap", "Mint", "Burn"].includes(name)).reverse();
      expect(items).toHaveLength(actions.length);
      for (const [position, { name, args, address, block, transaction }] of actions.entries()) {
        const item = items[position];
        const hour = Math.floor((times[block] ?? 0) / secondsPerHour);
        const pricedAsset = (asset: string) => (hour < firstHour ? undefined : priced.get(asset));
        const [first, second] = (sides.get(address) ?? []).map(pricedAsset);
        const amountOf = (argument: string) => (args[argument] as bigint | undefined) ?? 0n;
        const swap = () => {
          const [in0, in1] = [exactValue(amountOf("amount0In"), first, hour), exactValue(amountOf("amount1In"), second, hour)];
          if (in0 !== null && in1 !== null) return in0 + in1;
          return in0 === null
            ? exactValue(amountOf("amount1In") + amountOf("amount1Out"), second, hour)
            : exactValue(amountOf("amount0In") + amountOf("amount0Out"), first, hour);
        };
        const change = () => {
          const values = [exactValue(amountOf("amount0"), first, hour), exactValue(amountOf("amount1"), second, hour)];
          return values.some((value) => value === null) ? null : total(values.map((value) => value ?? 0n));
        };
        expect(item.total_quote, `${name} at ${block}`).toBe(toDollars(name === "Swap" ? swap() : change()));
        const receipt = await chain.rpc<{ gasUsed: string; effectiveGasPrice: string }>("eth_getTransactionReceipt", [transaction]);
        const fee = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
        expect([item.gas_quote, item.value_quote]).toEqual([
          toDollars(exactValue(fee, pricedAsset(nativeTokenAddress), hour)),
          toDollars(exactValue(0n, pricedAsset(nativeTokenAddress), hour)),
        ]);
        expect(item.gas_quote_rate).toBe(hour < firstHour ? null : priceOf(nativeTokenAddress, hour));
      }
      expect(items.some((item) => item.total_quote === null) && items.some((item) => item.total_quote > 0)).toBe(true);
    });
  });
};
