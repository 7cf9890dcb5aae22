import type { TokenState } from "../pools/queries/state.ts";

/** What was added to a token's volume between two of its states: what went in and what went out, so that each swap counts once. */
export const volumeBetween = (before: TokenState, after: TokenState): string =>
  String(BigInt(after.amount_in) + BigInt(after.amount_out) - BigInt(before.amount_in) - BigInt(before.amount_out));
