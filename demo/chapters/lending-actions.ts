import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeTransfer } from "../story/encode.ts";
import type { Random } from "../story/random.ts";
import type { Call, StoryContext } from "../story/types.ts";
import type { LendingReserve } from "./lending-pools.ts";

/** What an account can withdraw from a reserve and must repay, without interest. */
interface Position {
  supplied: bigint;
  borrowed: bigint;
}

/** The share of an account's balance that it supplies, in thousandths. */
const supplyShare = [10, 30] as const;
/** Smaller amounts are not moved, because pools round. */
const minAmount = 1_000n;

/** Creates the actions of accounts with reserves. Each returns its call, or none if the account lacks the amount. */
export const createLendingActions = ({ artifacts, holdings }: StoryContext, random: Random) => {
  const positions = new Map<string, Position>();
  const position = ({ aToken }: LendingReserve, owner: Address): Position => {
    const entry = positions.get(aToken + owner) ?? { supplied: 0n, borrowed: 0n };
    positions.set(aToken + owner, entry);
    return entry;
  };
  const callPool = (from: Address, to: Address, name: string, args: readonly unknown[]): Call => ({
    ...{ from, to, gas: 900_000 },
    data: encode(artifacts.lendingPool.abi, name, args),
  });
  /** Removes from the account's position a quarter of the supply that its debt does not require; returns the amount. */
  const release = (reserve: LendingReserve, owner: Address): bigint => {
    const accountPosition = position(reserve, owner);
    const amount = (accountPosition.supplied - (accountPosition.borrowed * 5n) / 2n) / 4n;
    if (amount < minAmount) return 0n;
    accountPosition.supplied -= amount + 1n;
    return amount;
  };
  /** Borrows an amount, regardless of what the account supplied. Mode 1 is a stable rate, mode 2 a variable one. */
  const borrowAmount = (reserve: LendingReserve, owner: Address, amount: bigint, mode: 1 | 2): Call[] => {
    if (amount < minAmount) return [];
    position(reserve, owner).borrowed += amount;
    holdings.receive(reserve.asset, owner, amount);
    return [callPool(owner, reserve.pool, "borrow", [reserve.asset, amount, mode, 0, owner])];
  };
  return {
    position,
    callPool,
    borrowAmount,
    supply: (reserve: LendingReserve, owner: Address): Call[] => {
      const amount = holdings.spend(reserve.asset, owner, random, supplyShare);
      if (amount < minAmount) return [];
      position(reserve, owner).supplied += amount - 1n;
      return [callPool(owner, reserve.pool, "supply", [reserve.asset, amount, owner, 0])];
    },
    /** Debts stay below two fifths of what the account supplied to the same reserve. */
    borrow: (reserve: LendingReserve, owner: Address, mode: 1 | 2): Call[] => {
      const { supplied, borrowed } = position(reserve, owner);
      return borrowAmount(reserve, owner, (supplied * 2n) / 5n - borrowed, mode);
    },
    repay: (reserve: LendingReserve, owner: Address): Call[] => {
      const accountPosition = position(reserve, owner);
      const amount = accountPosition.borrowed / 3n;
      if (amount < minAmount || holdings.balanceOf(reserve.asset, owner) < amount) return [];
      accountPosition.borrowed -= amount;
      holdings.deduct(reserve.asset, owner, amount);
      return [callPool(owner, reserve.pool, "repay", [reserve.asset, amount, 2, owner])];
    },
    withdraw: (reserve: LendingReserve, owner: Address): Call[] => {
      const amount = release(reserve, owner);
      if (amount === 0n) return [];
      holdings.receive(reserve.asset, owner, amount);
      return [callPool(owner, reserve.pool, "withdraw", [reserve.asset, amount, owner])];
    },
    /** Transfers aTokens. */
    transfer: (reserve: LendingReserve, from: Address, to: Address): Call[] => {
      const amount = release(reserve, from);
      if (amount === 0n) return [];
      position(reserve, to).supplied += amount - 1n;
      return [{ from, to: reserve.aToken, data: encodeTransfer(to, amount), gas: 900_000 }];
    },
  };
};
