import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import { type Call, type DailyCalls, type StoryContext, storyDays } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { unlimited } from "./exchange-types.ts";
import { createLendingActions } from "./lending-actions.ts";
import { deployLendingPool, goldPrice, type Lending, type LendingReserve, poolPriceOfGold } from "./lending-pools.ts";
import type { Tokens } from "./tokens.ts";

const liquidationDay = 30;

/**
 * Deploys the pools. On two of three days, an account supplies, borrows, repays, withdraws or transfers aTokens. On one day, the price of gold in
 * a pool falls briefly, and a debt is liquidated.
 */
export const setUpLending = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
): Promise<{ lending: Lending; dailyCalls: DailyCalls }> => {
  const { holdings } = context;
  const { trader, collector, dealers } = accounts;
  const pool = await deployLendingPool(context, accounts, { isV2: false, name: "Harbor Lending" }, [tokens.usd, tokens.gold]);
  const poolV2 = await deployLendingPool(context, accounts, { isV2: true, name: "Old Harbor Lending" }, [tokens.usd]);
  const [dollars, gold, dollarsV2] = [...pool.reserves, ...poolV2.reserves] as [LendingReserve, LendingReserve, LendingReserve];
  const reserves = [dollars, gold, dollarsV2];
  const lendingTokens = [...reserves.flatMap(({ aToken, variableDebt }) => [aToken, variableDebt]), dollars.stableDebt];
  const people = [trader, collector, ...dealers.slice(0, 3)];
  const speculator = dealers[3] as Address;
  const random = context.createRandom("lending");
  const actions = createLendingActions(context, random);
  const { supply, borrow, borrowAmount, position, callPool } = actions;

  /** Borrows dollars worth seven tenths of the supplied gold; the limit is four fifths. */
  const speculate = (): Call[] => {
    const supplied = supply(gold, speculator);
    const value = (position(gold, speculator).supplied * goldPrice * tokens.usd.unit) / tokens.gold.unit;
    return [...supplied, ...borrowAmount(dollars, speculator, (value * 7n) / 10n, 2)];
  };
  const setGoldPrice = (price: bigint): Call => {
    const data = encode(context.artifacts.lendingConfigurator.abi, "setPrice", [gold.asset, poolPriceOfGold(price)]);
    return { from: accounts.deployer, to: pool.configurator, data, gas: 100_000 };
  };
  /** The collector pays a tenth of the speculator's debt and takes gold for it. */
  const liquidate = (): Call[] => {
    const amount = position(dollars, speculator).borrowed / 10n;
    if (amount === 0n || holdings.balanceOf(dollars.asset, collector) < amount) return [];
    holdings.deduct(dollars.asset, collector, amount);
    const call = callPool(collector, pool.address, "liquidationCall", [gold.asset, dollars.asset, speculator, amount, false]);
    return [setGoldPrice((goldPrice * 3n) / 4n), call, setGoldPrice(goldPrice)];
  };

  await context.mine(
    [...people, speculator].flatMap((from) =>
      reserves.map(({ asset, pool: to }): Call => ({ from, to: asset, data: encodeApprove(to, unlimited), gas: 80_000 })),
    ),
  );
  await context.mine([
    ...people.flatMap((owner) => reserves.flatMap((reserve) => supply(reserve, owner))),
    ...reserves.flatMap((reserve) => borrow(reserve, trader, 2)),
    ...borrow(dollars, collector, 1),
    ...speculate(),
  ]);
  return {
    lending: { pool, poolV2, dollars, gold, dollarsV2, tokens: lendingTokens },
    dailyCalls: (day) => {
      if (day === liquidationDay) return liquidate();
      if (day === storyDays - 1) return reserves.flatMap((reserve) => supply(reserve, trader));
      if (day % 3 === 0) return [];
      const [reserve, owner] = [random.pick(reserves), random.pick(people)];
      const kind = random.below(5);
      if (kind === 0) return supply(reserve, owner);
      if (kind === 1) return borrow(reserve, owner, 2);
      if (kind === 2) return actions.repay(reserve, trader);
      return kind === 3 ? actions.withdraw(reserve, owner) : actions.transfer(reserve, trader, collector);
    },
  };
};
