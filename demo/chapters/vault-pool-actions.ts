import type { Hex } from "viem";
import type { Address } from "../../runtime/lib/hex.ts";
import type { Random } from "../story/random.ts";
import type { Call, StoryContext } from "../story/types.ts";

/** A pool of a vault. */
export interface VaultPool {
  readonly address: Address;
  readonly id: Hex;
  /** Includes the pool's own shares if it is composable. */
  readonly tokens: readonly Address[];
}

/** The calls of an account to a pool; none if the account holds too little. */
export interface VaultPoolActions {
  join(pool: VaultPool, owner: Address): Promise<Call[]>;
  exit(pool: VaultPool, owner: Address): Promise<Call[]>;
  swap(pool: VaultPool, owner: Address): Promise<Call[]>;
}

interface VaultPoolActionsOptions {
  readonly vault: Address;
  readonly pools: readonly VaultPool[];
  readonly callVault: (from: Address, name: string, parameters: readonly unknown[]) => Call;
  readonly random: Random;
}

/** The share of an account's balance that a swap moves, in thousandths. */
const swapShare = [5, 20] as const;

/** Creates joins, exits and swaps that succeed: a join may cost a fifth more than at the last block, and an exit redeems only tracked shares. */
export const createVaultPoolActions = (
  context: StoryContext,
  { vault, pools, callVault, random }: VaultPoolActionsOptions,
): VaultPoolActions => {
  const { artifacts, holdings } = context;
  /** The shares of each owner; no other chapter moves them. */
  const shares = new Map<string, bigint>();
  const keyOf = ({ address }: VaultPool, owner: Address): string => address + owner;
  const assetsOf = ({ address, tokens }: VaultPool): Address[] => tokens.filter((token) => token !== address);

  const balancesOf = async ({ id }: VaultPool): Promise<readonly bigint[]> => {
    const [, balances] = await context.read<[readonly Address[], readonly bigint[], bigint]>(
      vault,
      artifacts.poolVault.abi,
      "getPoolTokens",
      [id],
    );
    return balances;
  };
  /** The share of a pool, in millionths, that an owner can afford to join with; at most a fiftieth. */
  const affordableShare = (pool: VaultPool, balances: readonly bigint[], owner: Address): bigint => {
    const parts = assetsOf(pool).map((token, position) => (holdings.balanceOf(token, owner) * 16_000n) / (balances[position] ?? 1n));
    const [smallest = 0n] = [20_000n, ...parts].sort((left, right) => (left < right ? -1 : 1));
    return smallest;
  };
  return {
    join: async (pool, owner) => {
      const balances = await balancesOf(pool);
      const part = affordableShare(pool, balances, owner);
      if (part < 10n) return [];
      const isComposable = pool.tokens.includes(pool.address);
      const { abi } = isComposable ? artifacts.composableVaultPool : artifacts.weightedVaultPool;
      const supply = await context.read<bigint>(pool.address, abi, isComposable ? "getActualSupply" : "totalSupply");
      const bought = (supply * part) / 1_000_000n;
      for (const [position, token] of assetsOf(pool).entries())
        holdings.deduct(token, owner, ((balances[position] ?? 0n) * part * 12n) / 10_000_000n);
      shares.set(keyOf(pool, owner), (shares.get(keyOf(pool, owner)) ?? 0n) + bought);
      return [callVault(owner, "joinPool", [pool.id, owner, owner, [], bought])];
    },
    exit: async (pool, owner) => {
      const held = shares.get(keyOf(pool, owner)) ?? 0n;
      const sold = (held * BigInt(random.between(100, 300))) / 1000n;
      if (sold === 0n) return [];
      shares.set(keyOf(pool, owner), held - sold);
      return [callVault(owner, "exitPool", [pool.id, owner, owner, sold])];
    },
    // One of the three paths goes through both pools.
    swap: async (pool, owner) => {
      const [first, second] = assetsOf(pool) as [Address, Address];
      const other = pools.find((candidate) => candidate !== pool) ?? pool;
      const through = assetsOf(other)[1] ?? first;
      const [path, ids] = random.pick<readonly [readonly Address[], readonly Hex[]]>([
        [[first, second], [pool.id]],
        [[second, first], [pool.id]],
        [
          [second, first, through],
          [pool.id, other.id],
        ],
      ]);
      const amount = holdings.spend(path[0] as Address, owner, random, swapShare);
      return amount === 0n ? [] : [callVault(owner, "swap", [ids, path, owner, owner, amount])];
    },
  };
};
