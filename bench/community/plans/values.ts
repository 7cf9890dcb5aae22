import { zeroAddress } from "../../../runtime/lib/hex.ts";
import { type Draw, keeper } from "../plan.ts";

/** The number of markets of lending protocols and of vaults. */
export const marketCount = 200;

/** Parameters of share transfers: shares are minted to the wallet; in every eighth event, the keeper transfers some of its many shares instead. */
export const minted = {
  from: ({ step }: Draw) => (step % 8 === 0 ? keeper : zeroAddress),
  to: ({ wallet }: Draw) => wallet,
} as const;

/** A price or an interest index, which is `unit` at first and grows with time. */
export const growingValue =
  (unit: bigint) =>
  ({ step }: Pick<Draw, "step">) =>
    unit + (unit / 10n ** 9n) * BigInt(step);
