import type { Address } from "../../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../../support/chain.ts";
import { readContract, uniswapV2 } from "../../pools/support.ts";

/** The state of a pool at a height, as its views return it. */
export interface Pool {
  readonly tokens: readonly [Address, Address];
  readonly reserves: readonly [bigint, bigint];
  readonly supply: bigint;
  balanceOf(owner: Address): Promise<bigint>;
}

/** Reads a pool. */
export const readPool = async (chain: Pick<TestChain, "rpc">, pool: Address, height: number): Promise<Pool> => {
  const view = <T>(name: string, args: readonly unknown[] = []) => readContract<T>(chain, uniswapV2.pair(), pool, name, args, height);
  const tokenOf = async (name: string) => (await view<string>(name)).toLowerCase() as Address;
  const [reserve0, reserve1] = await view<readonly [bigint, bigint, number]>("getReserves");
  return {
    tokens: [await tokenOf("token0"), await tokenOf("token1")],
    reserves: [reserve0, reserve1],
    supply: await view<bigint>("totalSupply"),
    balanceOf: (owner) => view<bigint>("balanceOf", [owner]),
  };
};
