import { compare, type Decimal, decimal } from "../../lib/decimal.ts";
import { isBoundless, isUnlimited } from "./unlimited.ts";

/** What a spender may take: null where that is in doubt and not without bounds. */
export const knownAllowance = ({ amount, is_doubtful }: { readonly amount: string; readonly is_doubtful: boolean }): bigint | null =>
  is_doubtful && !isBoundless(BigInt(amount)) ? null : BigInt(amount);

/** The smaller of an allowance and a balance; null where what is not known would matter. */
export const amountAtRisk = (allowance: bigint | null, balance: bigint | null): bigint | null => {
  if (balance === 0n || allowance === 0n) return 0n;
  if (allowance === null || balance === null) return null;
  return allowance < balance ? allowance : balance;
};

/** What spenders together can take of a balance. One of whom it is not known matters unless the others can take all. */
export const amountAtRiskOfAll = (allowances: readonly (bigint | null)[], balance: bigint | null): bigint | null => {
  const known = allowances.reduce<bigint>((sum, allowance) => sum + (allowance ?? 0n), 0n);
  const isAll = balance !== null && known >= balance;
  return amountAtRisk(allowances.includes(null) && !isAll ? null : known, balance);
};

/** From here on what a spender can take is worth revoking for, in US dollars. */
const worthRevoking = decimal(1n);

/**
 * `CONSIDER REVOKING` where there is no limit, as it reaches what is received later, or where what can be taken now is worth a dollar or more, or of unknown
 * worth; `LOW RISK` otherwise. Null where what can be taken is not known.
 */
export const riskFactor = (allowance: bigint | null, atRisk: bigint | null, worthUsd: Decimal | null): string | null => {
  if (allowance !== null && isUnlimited(allowance)) return "CONSIDER REVOKING";
  if (atRisk === null) return null;
  if (atRisk === 0n) return "LOW RISK";
  return worthUsd === null || compare(worthUsd, worthRevoking) >= 0 ? "CONSIDER REVOKING" : "LOW RISK";
};
