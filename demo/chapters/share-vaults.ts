import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import { type Call, type DailyCalls, type StoryContext, storyDays } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { unlimited } from "./exchange-types.ts";
import type { Tokens } from "./tokens.ts";

/** A pool whose shares have 18 decimals, and two vaults with a strategy: one that predates ERC-4626, and one that implements it. */
export interface ShareVaults {
  readonly pool: Address;
  readonly legacy: Address;
  readonly strategy: Address;
}

interface Vault {
  readonly address: Address;
  readonly asset: Address;
  readonly abi: Parameters<typeof encode>[0];
  /** The arguments of `deposit` and `withdraw`. `withdraw` takes shares, except in the ERC-4626 vault, where it takes assets. */
  readonly depositArguments: (assets: bigint, owner: Address) => readonly unknown[];
  readonly withdrawalArguments: (assets: bigint, owner: Address) => readonly unknown[];
}

/** The share of a depositor's balance that a deposit moves, in thousandths. */
const depositShare = [5, 20] as const;
/** The pool's shares per smallest unit of its token, which has six decimals. */
const poolShares = 10n ** 12n;

/**
 * Deploys a pool and two vaults with strategies. Two out of every three days have a deposit or a withdrawal; every third day has a report of profit, which
 * the market maker pays as the strategist. The last day ends with a deposit into each vault, so that the newest readings include all profit.
 */
export const setUpShareVaults = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
): Promise<{ shareVaults: ShareVaults; dailyCalls: DailyCalls }> => {
  const { artifacts, holdings } = context;
  const { deployer, trader, collector, marketMaker, dealers, secondMarketMaker } = accounts;
  const [usd, gold] = [tokens.usd.address, tokens.gold.address];
  const managers = [marketMaker, secondMarketMaker];
  const pool = await context.deploy(deployer, artifacts.sharePool, ["Harbor Pool", "hpHUSD", usd, ...managers]);
  const legacy = await context.deploy(deployer, artifacts.legacyVault, ["Gold Vault", "gvGOLD", gold, ...managers, true]);
  const strategy = await context.deploy(deployer, artifacts.strategyVault, ["Harbor Vault", "hvHUSD", usd, ...managers]);
  const all: readonly Vault[] = [
    {
      ...{ address: pool, asset: usd, abi: artifacts.sharePool.abi },
      depositArguments: (assets) => [assets],
      withdrawalArguments: (assets) => [assets * poolShares],
    },
    {
      ...{ address: legacy, asset: gold, abi: artifacts.legacyVault.abi },
      depositArguments: (assets, owner) => [assets, owner],
      withdrawalArguments: (assets, owner) => [assets, owner],
    },
    {
      ...{ address: strategy, asset: usd, abi: artifacts.strategyVault.abi },
      depositArguments: (assets, owner) => [assets, owner],
      withdrawalArguments: (assets, owner) => [assets, owner, owner],
    },
  ];
  const depositors = [trader, collector, ...dealers.slice(0, 3)];
  const random = context.createRandom("share vaults");
  /** Lower bounds of the assets that each depositor can withdraw. */
  const deposited = new Map<string, bigint>();
  const keyOf = ({ address }: Vault, owner: Address): string => address + owner;
  const held = (vault: Vault, owner: Address): bigint => deposited.get(keyOf(vault, owner)) ?? 0n;
  const change = (vault: Vault, owner: Address, assets: bigint): void =>
    void deposited.set(keyOf(vault, owner), held(vault, owner) + assets);

  const deposit = (vault: Vault, owner: Address): Call[] => {
    const assets = holdings.spend(vault.asset, owner, random, depositShare);
    if (assets === 0n) return [];
    change(vault, owner, assets - 1n);
    return [{ from: owner, to: vault.address, data: encode(vault.abi, "deposit", vault.depositArguments(assets, owner)), gas: 300_000 }];
  };
  const withdraw = (vault: Vault, owner: Address): Call[] => {
    // At most a third, because a share's price may rise to 1.5 times its initial value.
    const assets = (held(vault, owner) * BigInt(random.between(50, 300))) / 1000n;
    if (assets < 10n) return [];
    change(vault, owner, -assets * 2n);
    holdings.receive(vault.asset, owner, assets - 2n);
    return [
      { from: owner, to: vault.address, data: encode(vault.abi, "withdraw", vault.withdrawalArguments(assets, owner)), gas: 400_000 },
    ];
  };
  /** Reports a profit of one to three thousandths of the deposits, if the market maker can pay it. */
  const report = (vault: Vault): Call[] => {
    const total = depositors.reduce((sum, owner) => sum + held(vault, owner), 0n);
    const gain = (total * BigInt(random.between(1, 3))) / 1000n;
    if (gain === 0n || holdings.balanceOf(vault.asset, marketMaker) < gain) return [];
    holdings.deduct(vault.asset, marketMaker, gain);
    return [{ from: marketMaker, to: vault.address, data: encode(vault.abi, "report", [gain]), gas: 500_000 }];
  };

  await context.mine(
    [...depositors, marketMaker].flatMap((from) =>
      all.map(({ address, asset }): Call => ({ from, to: asset, data: encodeApprove(address, unlimited), gas: 80_000 })),
    ),
  );
  await context.mine([trader, collector].flatMap((owner) => all.flatMap((vault) => deposit(vault, owner))));
  return {
    shareVaults: { pool, legacy, strategy },
    dailyCalls: (day) => {
      if (day === storyDays - 1) return all.flatMap((vault) => deposit(vault, trader));
      if (day % 3 === 0) return all.flatMap(report);
      return (random.oneIn(3) ? withdraw : deposit)(random.pick(all), random.pick(depositors));
    },
  };
};
