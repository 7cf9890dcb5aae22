import { z } from "zod";

const unlimited = z.literal("unlimited");
const limitOf = (number: z.ZodNumber) => z.union([number, unlimited]);

/** Key limits, which the configuration sets for all keys and `ashlar keys` for one key. */
export const keyLimitFields = {
  concurrentRequests: limitOf(z.number().int().positive()).describe("Max concurrent requests per key."),
  databaseSecondsPerMinute: limitOf(z.number().positive()).describe(
    "Seconds of database time that a key's requests may use per minute: the total duration of their statements.",
  ),
  bytesInFlight: limitOf(z.number().int().positive()).describe(
    "Response bytes that a key's clients may leave unread; a single response may be larger.",
  ),
};

/** The limits of unlimited keys and of the demo. */
export const noKeyLimits = {
  concurrentRequests: "unlimited",
  databaseSecondsPerMinute: "unlimited",
  bytesInFlight: "unlimited",
} as const satisfies KeyLimits;

export type Limit = number | "unlimited";
export type KeyLimits = z.infer<z.ZodObject<typeof keyLimitFields>>;
/** The limits of one key that differ from the configured ones. */
export type KeyLimitOverrides = Partial<KeyLimits>;
