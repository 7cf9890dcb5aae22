import { failures, type HttpError } from "../errors.ts";
import type { ExhaustedCredits } from "../key-meter.ts";
import type { MeteredKey } from "../keys.ts";

/** The error for a request whose key has no credits left. */
export function creditsExhausted(
  exhausted: ExhaustedCredits,
  { creditLimitHundredths, quotas }: Pick<MeteredKey, "creditLimitHundredths" | "quotas">,
  now: Date,
): HttpError {
  if (exhausted === "allowance") return failures.allowanceUsed(creditLimitHundredths ?? 0);
  return exhausted === "lease" ? failures.leaseMissing() : failures.quotaUsed(exhausted, quotas?.quota[exhausted] ?? 0, now);
}
