import type { Address } from "../../runtime/lib/hex.ts";
import type { Random } from "./random.ts";

/** A lower bound of each owner's balances, without the proceeds of swaps, so that no transaction fails by accident. */
export interface Holdings {
  of(token: Address, owner: Address): bigint;
  /** Counts from the next day on: within a day the order of the chapters' transactions is open. */
  receive(token: Address, owner: Address, amount: bigint): void;
  /** Spends a random share (in thousandths) of the balance, rounded to three digits. */
  spend(token: Address, owner: Address, random: Random, thousandths: readonly [number, number]): bigint;
  take(token: Address, owner: Address, amount: bigint): void;
  settle(): void;
}

const roundToThreeDigits = (amount: bigint): bigint => {
  const digits = amount.toString().length;
  if (digits <= 3) return amount;
  const unit = 10n ** BigInt(digits - 3);
  return (amount / unit) * unit;
};

/** Empty holdings. */
export const createHoldings = (): Holdings => {
  const settled = new Map<string, bigint>();
  const pending: { key: string; amount: bigint }[] = [];
  const keyOf = (token: Address, owner: Address): string => token + owner;
  const of = (token: Address, owner: Address): bigint => settled.get(keyOf(token, owner)) ?? 0n;
  const take = (token: Address, owner: Address, amount: bigint): void => {
    const rest = of(token, owner) - amount;
    if (rest < 0n) throw new Error(`The story spends more of ${token} than ${owner} has.`);
    settled.set(keyOf(token, owner), rest);
  };
  return {
    of,
    take,
    receive: (token, owner, amount) => {
      pending.push({ key: keyOf(token, owner), amount });
    },
    spend: (token, owner, random, [min, max]) => {
      const amount = roundToThreeDigits((of(token, owner) * BigInt(random.between(min, max))) / 1000n);
      take(token, owner, amount);
      return amount;
    },
    settle: () => {
      for (const { key, amount } of pending) settled.set(key, (settled.get(key) ?? 0n) + amount);
      pending.length = 0;
    },
  };
};
