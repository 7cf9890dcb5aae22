import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove, encodeTransfer } from "../story/encode.ts";
import { type Call, type DailyCalls, type StoryContext, storyDays } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { unlimited } from "./exchange-types.ts";
import type { Tokens } from "./tokens.ts";

/** The ERC-4626 vaults. */
export interface Vaults {
  readonly dollar: Address;
  readonly gold: Address;
}

interface Vault {
  readonly address: Address;
  readonly asset: Address;
}

/** The share of a depositor's balance that a deposit moves, in thousandths. */
const depositShare = [10, 40] as const;

/**
 * Deploys two vaults. Each day has deposits or withdrawals, and every other day the market maker transfers yield to the vaults. The last day ends
 * with a deposit into each vault, so that its newest readings include all yield.
 */
export const setUpVaults = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
): Promise<{ vaults: Vaults; dailyCalls: DailyCalls }> => {
  const { artifacts, holdings } = context;
  const { abi } = artifacts.savingsVault;
  const { deployer, trader, collector, marketMaker, dealers } = accounts;
  const deploy = async (name: string, symbol: string, asset: Address): Promise<Vault> => ({
    address: await context.deploy(deployer, artifacts.savingsVault, [name, symbol, asset]),
    asset,
  });
  const dollar = await deploy("Harbor Savings", "svHUSD", tokens.usd.address);
  const gold = await deploy("Gold Savings", "svGOLD", tokens.gold.address);
  const all = [dollar, gold];
  const depositors = [trader, collector, ...dealers.slice(0, 6)];
  const random = context.createRandom("vaults");
  /** Lower bounds of the assets that each depositor can withdraw. */
  const deposited = new Map<string, bigint>();
  const keyOf = ({ address }: Vault, owner: Address): string => address + owner;

  const deposit = (vault: Vault, owner: Address): Call[] => {
    const assets = holdings.spend(vault.asset, owner, random, depositShare);
    if (assets === 0n) return [];
    const key = keyOf(vault, owner);
    // One unit less, because the vault rounds down.
    deposited.set(key, (deposited.get(key) ?? 0n) + assets - 1n);
    return [{ from: owner, to: vault.address, data: encode(abi, "deposit", [assets, owner]), gas: 250_000 }];
  };
  const withdraw = (vault: Vault, owner: Address): Call[] => {
    const key = keyOf(vault, owner);
    const assets = ((deposited.get(key) ?? 0n) * BigInt(random.between(100, 400))) / 1000n;
    if (assets === 0n) return [];
    deposited.set(key, (deposited.get(key) ?? 0n) - assets);
    holdings.receive(vault.asset, owner, assets);
    return [{ from: owner, to: vault.address, data: encode(abi, "withdraw", [assets, owner, owner]), gas: 250_000 }];
  };
  /** Pays a yield of two to five ten-thousandths of the deposits, if the market maker can pay it. */
  const addYield = (vault: Vault): Call[] => {
    const { address, asset } = vault;
    const total = depositors.reduce((sum, owner) => sum + (deposited.get(keyOf(vault, owner)) ?? 0n), 0n);
    const amount = (total * BigInt(random.between(2, 5))) / 10_000n;
    if (amount === 0n || holdings.balanceOf(asset, marketMaker) < amount) return [];
    holdings.deduct(asset, marketMaker, amount);
    return [{ from: marketMaker, to: asset, data: encodeTransfer(address, amount), gas: 120_000 }];
  };

  await context.mine(
    depositors.flatMap((from) =>
      all.map(({ address, asset }): Call => ({ from, to: asset, data: encodeApprove(address, unlimited), gas: 80_000 })),
    ),
  );
  await context.mine([trader, collector].flatMap((owner) => all.flatMap((vault) => deposit(vault, owner))));
  return {
    vaults: { dollar: dollar.address, gold: gold.address },
    dailyCalls: (day) => {
      if (day === storyDays - 1) return all.flatMap((vault) => deposit(vault, trader));
      const owners = Array.from({ length: 2 }, () => random.pick(depositors));
      const moves = owners.flatMap((owner) => (random.oneIn(3) ? withdraw : deposit)(random.pick(all), owner));
      return day % 2 === 0 ? [...all.flatMap(addYield), ...moves] : moves;
    },
  };
};
