import { standards } from "../../domains/tokens/projection/standards.ts";
import type { BalanceRow } from "../../domains/tokens/queries/balance.ts";
import type { HoldingRow } from "../../domains/tokens/queries/holding.ts";
import { nativeTokenAddress } from "../../lib/hex.ts";

/** The row of an unknown native balance. */
export const unknownNative: HoldingRow = {
  token: nativeTokenAddress,
  standard: standards.native,
  balance: null,
  source: "events",
  transfer_block: null,
  transfer_timestamp: null,
};

/** Rows with unknown native balances set to null. */
export const hideUnknownNative = <Row extends BalanceRow>(rows: readonly Row[], isKnown: boolean): Row[] =>
  isKnown ? [...rows] : rows.map((row) => (row.standard === standards.native ? { ...row, balance: null } : row));
