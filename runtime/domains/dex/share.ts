/** The part of a reserve that a balance of the pool's token stands for, rounded down as the pool pays it out; null where one of them is not known. */
export function shareOf(reserve: string | null, balance: string | null, supply: string | null): string | null {
  if (reserve === null || balance === null || supply === null || BigInt(supply) === 0n) return null;
  return String((BigInt(reserve) * BigInt(balance)) / BigInt(supply));
}
