import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { encodeCall, type TestChain } from "../../../../support/chain.ts";
import { contracts } from "./contracts.ts";
import type { LendingReserve } from "./market.ts";

/** Reads the contracts' view functions at a block. */
export const viewsOf = (chain: Pick<TestChain, "rpc">) => {
  const read = (artifact: string, to: Address, name: string, args: readonly unknown[], height: number): Promise<Hex> =>
    chain.rpc<Hex>("eth_call", [encodeCall(contracts(artifact), to, name, args), `0x${height.toString(16)}`]);
  const readNumber = async (artifact: string, to: Address, name: string, args: readonly unknown[], height: number): Promise<bigint> =>
    BigInt(await read(artifact, to, name, args, height));

  /** A reserve's amounts and rates: the sixth and seventh word of its state, with 27 decimals. */
  const reserveAt = async ({ pool, coin, aToken, variableDebt, stableDebt }: LendingReserve, height: number) => {
    const state = await read("LendingPool", pool, "reserves", [coin.address], height);
    const rate = (word: number): number => Number(BigInt(`0x${state.slice(2 + 64 * word, 66 + 64 * word)}`)) / 1e27;
    return {
      supplied: await readNumber("AToken", aToken, "totalSupply", [], height),
      variableDebt: await readNumber("VariableDebtToken", variableDebt, "totalSupply", [], height),
      stableDebt: await readNumber("StableDebtToken", stableDebt, "totalSupply", [], height),
      available: await readNumber("Coin", coin.address, "balanceOf", [aToken], height),
      supplyRate: rate(5),
      borrowRate: rate(6),
    };
  };

  /** An account's positions, keyed by `supplied` or `borrowed` and the aToken, without positions of 0. */
  const positionsAt = async (reserves: readonly LendingReserve[], wallet: Address, height: number): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    for (const { aToken, variableDebt, stableDebt } of reserves) {
      const supplied = await readNumber("AToken", aToken, "balanceOf", [wallet], height);
      const variable = await readNumber("VariableDebtToken", variableDebt, "balanceOf", [wallet], height);
      const borrowed = variable + (await readNumber("StableDebtToken", stableDebt, "balanceOf", [wallet], height));
      if (supplied > 0n) found[`supplied ${aToken}`] = String(supplied);
      if (borrowed > 0n) found[`borrowed ${aToken}`] = String(borrowed);
    }
    return found;
  };
  return { reserveAt, positionsAt };
};
