import { compare, type Decimal, decimal } from "../../lib/decimal.ts";
import { isEffectivelyInfinite, isUnlimited } from "./unlimited.ts";

/** The amount that a spender may transfer; null if the allowance is in doubt and not effectively infinite. */
export const knownAllowance = ({ amount, is_doubtful }: { readonly amount: string; readonly is_doubtful: boolean }): bigint | null =>
  is_doubtful && !isEffectivelyInfinite(BigInt(amount)) ? null : BigInt(amount);

/** The smaller of an allowance and a balance; null if the result depends on an unknown value. */
export const amountAtRisk = (allowance: bigint | null, balance: bigint | null): bigint | null => {
  if (balance === 0n || allowance === 0n) return 0n;
  if (allowance === null || balance === null) return null;
  return allowance < balance ? allowance : balance;
};

/** How much of a balance all spenders together can transfer; null if the known allowances do not cover the balance and another allowance is unknown. */
export const amountAtRiskOfAll = (allowances: readonly (bigint | null)[], balance: bigint | null): bigint | null => {
  const known = allowances.reduce<bigint>((sum, allowance) => sum + (allowance ?? 0n), 0n);
  const coversBalance = balance !== null && known >= balance;
  return amountAtRisk(allowances.includes(null) && !coversBalance ? null : known, balance);
};

/** The lowest value at risk, in US dollars, for which revoking is recommended. */
const revokeThresholdUsd = decimal(1n);

/**
 * `CONSIDER REVOKING` if the allowance is unlimited, because it also covers tokens received later, or if the value at risk is at least one dollar or unknown;
 * `LOW RISK` otherwise. Null if the amount at risk is unknown.
 */
export const riskFactor = (allowance: bigint | null, atRisk: bigint | null, valueUsd: Decimal | null): string | null => {
  if (allowance !== null && isUnlimited(allowance)) return "CONSIDER REVOKING";
  if (atRisk === null) return null;
  if (atRisk === 0n) return "LOW RISK";
  return valueUsd === null || compare(valueUsd, revokeThresholdUsd) >= 0 ? "CONSIDER REVOKING" : "LOW RISK";
};
