import type { Address } from "../../runtime/lib/hex.ts";
import type { Random } from "./random.ts";

/** What each owner certainly has of each token, so that no transaction fails by accident: a lower bound, as what swaps give is not counted. */
export interface Holdings {
  of(token: Address, owner: Address): bigint;
  /** Counts from the next day on: within a day the order of the chapters' transactions is open. */
  receive(token: Address, owner: Address, amount: bigint): void;
  /** Takes so many thousandths of what the owner has, rounded to three digits; 0n when that is nothing. */
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

/** An empty book of holdings. */
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
    spend: (token, owner, random, [least, most]) => {
      const amount = roundToThreeDigits((of(token, owner) * BigInt(random.between(least, most))) / 1000n);
      take(token, owner, amount);
      return amount;
    },
    settle: () => {
      for (const { key, amount } of pending) settled.set(key, (settled.get(key) ?? 0n) + amount);
      pending.length = 0;
    },
  };
};
