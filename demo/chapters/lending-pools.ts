import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import type { Tokens } from "./tokens.ts";

/** A reserve of a pool. Its debt tokens exist even if the story does not use them. */
export interface LendingReserve {
  readonly pool: Address;
  readonly asset: Address;
  readonly aToken: Address;
  readonly variableDebt: Address;
  readonly stableDebt: Address;
}

/** A lending pool with its configurator. */
export interface LendingPool {
  readonly address: Address;
  readonly configurator: Address;
  readonly reserves: readonly LendingReserve[];
}

/** A lending pool of version 3 with reserves of dollars and gold, and one of version 2 with a reserve of dollars. */
export interface Lending {
  readonly pool: LendingPool;
  readonly poolV2: LendingPool;
  readonly dollars: LendingReserve;
  readonly gold: LendingReserve;
  readonly dollarsV2: LendingReserve;
  /** The aTokens, and the debt tokens that the story uses. */
  readonly tokens: readonly Address[];
}

/** The story values of the pools and of their tokens, whose balances grow with time. */
export const lendingValues = ({ pool, poolV2, dollars, gold, dollarsV2 }: Lending) => ({
  lendingPool: pool.address,
  lendingConfigurator: pool.configurator,
  lendingPoolV2: poolV2.address,
  lendingConfiguratorV2: poolV2.configurator,
  lendingDollars: dollars.aToken,
  lendingDollarDebt: dollars.variableDebt,
  lendingDollarStableDebt: dollars.stableDebt,
  lendingGold: gold.aToken,
  lendingGoldDebt: gold.variableDebt,
  lendingDollarsV2: dollarsV2.aToken,
  lendingDollarDebtV2: dollarsV2.variableDebt,
});

/** The price of one gold token in the pools, in US dollars. */
export const goldPrice = 80n;

/** Converts a price in dollars per gold token (18 decimals) to the price that pools store: dollars per smallest unit, with 36 decimals. */
export const poolPriceOfGold = (dollars: bigint): bigint => dollars * 10n ** 18n;

/** Deploys a pool with reserves of these tokens, the first of which is the dollar token. */
export const deployLendingPool = async (
  context: StoryContext,
  { deployer, treasury }: Accounts,
  { isV2, name }: { readonly isV2: boolean; readonly name: string },
  tokens: readonly Tokens["usd"][],
): Promise<LendingPool> => {
  const { lendingConfigurator, lendingPool } = context.artifacts;
  const { abi } = lendingConfigurator;
  const configurator = await context.deploy(deployer, lendingConfigurator, [isV2, treasury]);
  const address = (await context.read<string>(configurator, abi, "pool")).toLowerCase() as Address;
  const reserves: LendingReserve[] = [];
  for (const [position, { address: asset, unit }] of tokens.entries()) {
    const symbol = position === 0 ? "USD" : "GOLD";
    const price = position === 0 ? 10n ** 36n / unit : poolPriceOfGold(goldPrice);
    const parameters = [asset, unit.toString().length - 1, `${name} ${symbol}`, `${isV2 ? "h2" : "hl"}${symbol}`, price];
    await context.mine([
      { from: deployer, to: configurator, data: encode(abi, "initReserve", parameters), gas: 12_000_000 },
      { from: deployer, to: configurator, data: encode(abi, "setBorrowable", [asset, true]), gas: 150_000 },
    ]);
    const state = await context.read<readonly string[]>(address, lendingPool.abi, "reserves", [asset]);
    const [aToken, variableDebt, stableDebt] = state.slice(0, 3).map((token) => token.toLowerCase()) as [Address, Address, Address];
    reserves.push({ pool: address, asset, aToken, variableDebt, stableDebt });
  }
  return { address, configurator, reserves };
};
