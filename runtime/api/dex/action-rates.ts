import type { Chain, Currency } from "../../../generated/requests.gen.ts";
import type { PairRates } from "../../domains/dex/queries/valuation.ts";
import type { TransactionRow } from "../../domains/ledger/queries/transaction.ts";
import type { PoolRow } from "../../domains/pools/queries/pool.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import type { ResolverContext } from "../context.ts";

/** The rates of a pool's tokens and the native token at the time of an action. */
export interface ActionRates {
  readonly pair: PairRates;
  readonly native: Rate;
}

/** An action: its pool and its transaction. */
interface Action {
  readonly pool: PoolRow;
  readonly transaction: Pick<TransactionRow, "timestamp">;
}

/** The rates for a page of actions, by pool and time. */
export async function ratesOfActions(
  { prices }: ResolverContext,
  chain: Chain,
  currency: Currency,
  actions: readonly Action[],
): Promise<(pool: PoolRow, time: number) => ActionRates> {
  const keyOf = (asset: Address, time: number) => `${asset}${time}`;
  const requests = new Map(
    actions.flatMap(({ pool, transaction: { timestamp: time } }) =>
      [pool.token0, pool.token1, nativeTokenAddress].map((asset) => [keyOf(asset, time), { asset, time }] as const),
    ),
  );
  const rates = await prices.ratesAtTimes(chain.id, currency, [...requests.values()]);
  const byKey = new Map([...requests.keys()].map((key, position) => [key, rates[position] ?? null]));
  const rateOf = (asset: Address, time: number): Rate => byKey.get(keyOf(asset, time)) ?? null;
  return ({ token0, token1 }, time) => ({
    pair: [rateOf(token0, time), rateOf(token1, time)],
    native: rateOf(nativeTokenAddress, time),
  });
}
