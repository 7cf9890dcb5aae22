import { expect, test } from "vitest";
import { creditsExhausted } from "../../../runtime/http/quota/credits-exhausted.ts";

test.each(["allowance", "day", "month"] as const)(
  "a request without credits (%s) is refused with 402 and counted as limited by credits",
  (exhausted) => {
    const key = { creditLimitHundredths: 300, quotas: null };
    const { status, exceededLimit } = creditsExhausted(exhausted, key, new Date("2026-11-30T12:00:00Z"));
    expect({ status, limit: exceededLimit }).toEqual({ status: 402, limit: "credits" });
  },
);
