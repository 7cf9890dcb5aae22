import type { Address } from "../../../../../runtime/lib/hex.ts";
import { artifacts, type TestChain } from "../../../../support/chain.ts";
import { readContract } from "../../pools/support.ts";
import type { StablePool } from "./market.ts";

/** The state of a pool at a height, as its views return it. */
export interface PoolState {
  readonly balances: readonly bigint[];
  readonly supply: bigint;
  /** Null without a supply. */
  readonly virtualPrice: bigint | null;
  sharesOf(owner: Address): Promise<bigint>;
}

/** Reads a pool and its pool token. */
export const readState = async (chain: Pick<TestChain, "rpc">, pool: StablePool, height: number): Promise<PoolState> => {
  const view = <T>(name: string, args: readonly unknown[] = []) => readContract<T>(chain, pool.artifact, pool.address, name, args, height);
  const shareView = <T>(name: string, args: readonly unknown[] = []) =>
    readContract<T>(chain, artifacts.erc20(), pool.shares, name, args, height);
  const supply = await shareView<bigint>("totalSupply");
  return {
    balances: await Promise.all(pool.coins.map((_, i) => view<bigint>("balances", [BigInt(i)]))),
    supply,
    virtualPrice: supply === 0n ? null : await view<bigint>("get_virtual_price"),
    sharesOf: (owner) => shareView<bigint>("balanceOf", [owner]),
  };
};
