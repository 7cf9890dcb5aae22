import type { Abi, Hex } from "viem";
import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import { type Call, type DailyCalls, type StoryContext, storyDays } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { unlimited } from "./exchange-types.ts";
import type { MarketPrices } from "./market-prices.ts";
import type { Tokens } from "./tokens.ts";
import { createVaultPoolActions, type VaultPool } from "./vault-pool-actions.ts";

/** A vault that holds the tokens of two pools. */
export interface VaultPools {
  readonly vault: Address;
  /** A second dollar token, with 18 decimals. */
  readonly tideDollar: Address;
  readonly pools: {
    readonly goldDollar: Address;
    /** A composable pool: its own shares are among its tokens. */
    readonly dollars: Address;
  };
}

/** Dollars of each token in the first join of a pool. */
const firstJoin = 200_000n;
const dollarUnit = 10n ** 6n;
const tideUnit = 10n ** 18n;

/**
 * Deploys a vault with two pools, which the market maker joins first. Each day has two joins, exits or swaps; every tenth day, the asset manager
 * withdraws dollars from a pool, reports their yield, or returns them. The last day ends with joins, so that the newest readings include all
 * changes.
 */
export const setUpVaultPools = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
  prices: MarketPrices,
): Promise<{ vaultPools: VaultPools; dailyCalls: DailyCalls }> => {
  const { artifacts, holdings } = context;
  const { deployer, trader, collector, marketMaker, treasury, dealers } = accounts;
  const { poolVault, weightedVaultPool, composableVaultPool, presetToken } = artifacts;
  const vault = await context.deploy(deployer, poolVault, [treasury]);
  const tideDollar = await context.deploy(deployer, presetToken, ["Tide Dollar", "TUSD"]);
  const [usd, gold] = [tokens.usd.address, tokens.gold.address];
  const people = [trader, collector, ...dealers.slice(0, 6)];
  const callVault = (from: Address, name: string, parameters: readonly unknown[]): Call => ({
    from,
    to: vault,
    data: encode(poolVault.abi, name, parameters),
    gas: 700_000,
  });
  const mint = (token: Address, abi: Abi, to: Address, amount: bigint): Call => ({
    from: deployer,
    to: token,
    data: encode(abi, "mint", [to, amount]),
  });

  const { unit, price } = prices.rate(gold);
  const goldAmount = (firstJoin * dollarUnit * unit) / price;
  await context.mine([
    mint(gold, tokens.gold.abi, marketMaker, goldAmount),
    // Covers the joins of both pools, and the yield that the asset manager pays.
    mint(usd, tokens.usd.abi, marketMaker, 3n * firstJoin * dollarUnit),
    ...[marketMaker, ...people].map((to) => mint(tideDollar, presetToken.abi, to, firstJoin * tideUnit)),
    ...[marketMaker, ...people].flatMap((from) =>
      [usd, gold, tideDollar].map((token): Call => ({ from, to: token, data: encodeApprove(vault, unlimited), gas: 80_000 })),
    ),
  ]);
  for (const owner of people) holdings.receive(tideDollar, owner, firstJoin * tideUnit);
  holdings.applyPending();

  const create = async (name: string, symbol: string, isComposable: boolean, members: readonly Address[], amounts: readonly bigint[]) => {
    const artifact = isComposable ? composableVaultPool : weightedVaultPool;
    const address = await context.deploy(deployer, artifact, [vault, name, symbol, members, marketMaker]);
    const id = await context.read<Hex>(address, artifact.abi, "getPoolId");
    await context.mine([callVault(marketMaker, "joinPool", [id, marketMaker, marketMaker, isComposable ? [...amounts, 0n] : amounts, 0n])]);
    return { address, id, tokens: isComposable ? [...members, address] : members };
  };
  const goldDollar = await create("Gold and Harbor Dollar", "50GOLD-50HUSD", false, [usd, gold], [firstJoin * dollarUnit, goldAmount]);
  const dollars = await create("Dollars", "HUSD-TUSD", true, [usd, tideDollar], [firstJoin * dollarUnit, firstJoin * tideUnit]);

  const random = context.createRandom("pools of a vault");
  const all: readonly VaultPool[] = [goldDollar, dollars];
  const actions = createVaultPoolActions(context, { vault, pools: all, callVault, random });
  /** Creates joins in sequence, because an account's joins depend on the cost of its previous ones. */
  const joinAll = async (owners: readonly Address[]): Promise<Call[]> => {
    const calls: Call[] = [];
    for (const owner of owners) for (const pool of all) calls.push(...(await actions.join(pool, owner)));
    return calls;
  };
  await context.mine(await joinAll([trader, collector]));
  return {
    vaultPools: { vault, tideDollar, pools: { goldDollar: goldDollar.address, dollars: dollars.address } },
    dailyCalls: async (day) => {
      if (day === storyDays - 1) return joinAll([trader]);
      const picked = Array.from({ length: 2 }, () => random.pick([actions.join, actions.exit, actions.swap, actions.swap]));
      const calls: Call[] = [];
      for (const move of picked) calls.push(...(await move(random.pick(all), random.pick(people))));
      return day % 10 === 5 ? [...calls, ...manageDollars(day, goldDollar, callVault, { marketMaker, usd })] : calls;
    },
  };
};

/** In turn, the asset manager withdraws dollars from the pool, reports a gain of a thousandth, and returns all of them. */
const manageDollars = (
  day: number,
  { id }: VaultPool,
  callVault: (from: Address, name: string, parameters: readonly unknown[]) => Call,
  { marketMaker, usd }: { readonly marketMaker: Address; readonly usd: Address },
): Call[] => {
  const [withdraw, deposit, update] = [0, 1, 2];
  const taken = (firstJoin * dollarUnit) / 20n;
  const grown = (taken * 1001n) / 1000n;
  const step = ((day - 5) / 10) % 3;
  const [kind, amount] = step === 0 ? [withdraw, taken] : step === 1 ? [update, grown] : [deposit, grown];
  return [callVault(marketMaker, "managePoolBalance", [id, usd, kind, amount])];
};
