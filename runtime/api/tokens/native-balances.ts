import type { Chain } from "../../../generated/requests.gen.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { BalanceRow, HoldingRow } from "../../domains/tokens/queries/balance.ts";
import { features } from "../../indexer/storage/chain-record.ts";
import { nativeTokenAddress } from "../../lib/hex.ts";
import type { ResolverContext } from "../context.ts";

/** A native balance that is not known, as a row. */
export const unknownNative: HoldingRow = {
  token: nativeTokenAddress,
  standard: standards.native,
  balance: null,
  source: "events",
  transfer_block: null,
  transfer_timestamp: null,
};

const unknownBy: readonly string[] = [features.nativeBalances, features.nativeBalancesDiffer];

/** Whether a chain's index has native balances: false where it keeps none, or where they were found to be wrong; then nobody's is known. */
export async function knowsNativeBalances({ ledger }: ResolverContext, chain: Chain): Promise<boolean> {
  const row = (await ledger.chains()).find(({ chain_id }) => chain_id === chain.id);
  return row === undefined || !row.missing.some((feature) => unknownBy.includes(feature));
}

/** Rows with the native ones as they can be told. */
export const hideUnknownNative = <Row extends BalanceRow>(rows: readonly Row[], isKnown: boolean): Row[] =>
  isKnown ? [...rows] : rows.map((row) => (row.standard === standards.native ? { ...row, balance: null } : row));
