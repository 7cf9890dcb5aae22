import type { Address } from "../../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../../support/chain.ts";
import { demoContracts } from "../../../../support/demo-contracts.ts";
import { readContract } from "../../pools/support.ts";
import type { Pool } from "./market.ts";

/** A pool's token balances in a vault. */
export interface PoolTokens {
  readonly balances: ReadonlyMap<Address, bigint>;
  readonly lastChangeBlock: bigint;
}

/** Whether the pool has its own shares among its tokens. */
export const isComposable = ({ address, tokens }: Pick<Pool, "address" | "tokens">): boolean => tokens.includes(address);

/** Reads view functions of a vault and its pools at a block. */
export const viewsOf = (chain: Pick<TestChain, "rpc">, vault: Address) => {
  const poolView = <Result>({ artifact, address }: Pool, name: string, args: readonly unknown[], height: number): Promise<Result> =>
    readContract<Result>(chain, artifact, address, name, args, height);
  return {
    poolTokens: async ({ id }: Pool, height: number): Promise<PoolTokens> => {
      const [tokens, balances, lastChangeBlock] = await readContract<[Address[], bigint[], bigint]>(
        chain,
        demoContracts("PoolVault"),
        vault,
        "getPoolTokens",
        [id],
        height,
      );
      const entries = tokens.map((token, position): [Address, bigint] => [token.toLowerCase() as Address, balances[position] ?? 0n]);
      return { balances: new Map(entries), lastChangeBlock };
    },
    /** The share supply by which the pool itself divides. */
    supplyOf: (pool: Pool, height: number) => poolView<bigint>(pool, isComposable(pool) ? "getActualSupply" : "totalSupply", [], height),
    sharesOf: (pool: Pool, owner: Address, height: number) => poolView<bigint>(pool, "balanceOf", [owner], height),
    rateOf: (pool: Pool, height: number) => poolView<bigint>(pool, "getRate", [], height),
    /** The tokens, without the pool's own shares, that an exit returns for shares, with their amounts. */
    exitOf: async (pool: Pool, shares: bigint, height: number) => {
      const amounts = await poolView<bigint[]>(pool, "queryExit", [shares], height);
      return pool.tokens
        .map((token, position) => ({ contract_address: token, balance: String(amounts[position]) }))
        .filter(({ contract_address }) => contract_address !== pool.address);
    },
  };
};
