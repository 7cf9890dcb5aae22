import type { Address } from "../../runtime/lib/hex.ts";
import type { Random } from "./random.ts";

/** A lower bound of each owner's balances, excluding the proceeds of swaps, so that no transaction fails unexpectedly. */
export interface Holdings {
  balanceOf(token: Address, owner: Address): bigint;
  /** Adds to the pending amounts, which become available on the next day because the chapters' transactions of a day are interleaved. */
  receive(token: Address, owner: Address, amount: bigint): void;
  /** Spends a random share (in thousandths) of the balance, rounded to three digits. */
  spend(token: Address, owner: Address, random: Random, thousandths: readonly [number, number]): bigint;
  /** @throws {Error} if the balance is lower. */
  deduct(token: Address, owner: Address, amount: bigint): void;
  /** Adds the pending amounts to the balances. */
  applyPending(): void;
}

const roundToThreeDigits = (amount: bigint): bigint => {
  const digits = amount.toString().length;
  if (digits <= 3) return amount;
  const unit = 10n ** BigInt(digits - 3);
  return (amount / unit) * unit;
};

/** Creates empty holdings. */
export const createHoldings = (): Holdings => {
  const balances = new Map<string, bigint>();
  const pending: { key: string; amount: bigint }[] = [];
  const keyOf = (token: Address, owner: Address): string => token + owner;
  const balanceOf = (token: Address, owner: Address): bigint => balances.get(keyOf(token, owner)) ?? 0n;
  const deduct = (token: Address, owner: Address, amount: bigint): void => {
    const remaining = balanceOf(token, owner) - amount;
    if (remaining < 0n) throw new Error(`Cannot spend ${amount} of ${token}: ${owner} has ${remaining + amount} in the story`);
    balances.set(keyOf(token, owner), remaining);
  };
  return {
    balanceOf,
    deduct,
    receive: (token, owner, amount) => {
      pending.push({ key: keyOf(token, owner), amount });
    },
    spend: (token, owner, random, [min, max]) => {
      const amount = roundToThreeDigits((balanceOf(token, owner) * BigInt(random.between(min, max))) / 1000n);
      deduct(token, owner, amount);
      return amount;
    },
    applyPending: () => {
      for (const { key, amount } of pending) balances.set(key, (balances.get(key) ?? 0n) + amount);
      pending.length = 0;
    },
  };
};
