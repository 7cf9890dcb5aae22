import type { Chain } from "../../../../generated/requests.gen.ts";
import { features } from "../../../indexer/chain-row.ts";
import { nativeTokenAddress } from "../../../lib/hex.ts";
import type { ResolverContext } from "../../context.ts";
import type { BalanceRow, HoldingRow } from "../balance-queries.ts";
import { standards } from "../standards.ts";

/** What a chain's index has to say of native balances. */
export interface NativeWord {
  /** False where it keeps none, or where they were found to be wrong: then nobody's is known. */
  readonly isKnown: boolean;
  readonly source: "events" | "node";
}

/** A native balance that is not known, as a row. */
export const unknownNative: HoldingRow = {
  token: nativeTokenAddress,
  standard: standards.native,
  balance: null,
  transfer_block: null,
  transfer_timestamp: null,
};

const unknownBy: readonly string[] = [features.nativeBalances, features.nativeBalancesDiffer];

/** How far a chain's native balances can be told, and where they come from: followed by traces, or read from the node. */
export async function nativeWordOf({ ledger }: ResolverContext, chain: Chain): Promise<NativeWord> {
  const row = (await ledger.chains()).find(({ chain_id }) => chain_id === chain.id);
  return {
    isKnown: row === undefined || !row.missing.some((feature) => unknownBy.includes(feature)),
    source: row?.native_accounting === "state" ? "node" : "events",
  };
}

/** Rows with the native ones as they can be told. */
export const tellNative = <Row extends BalanceRow>(rows: readonly Row[], { isKnown, source }: NativeWord): Row[] =>
  rows.map((row) => (row.standard === standards.native ? { ...row, balance: isKnown ? row.balance : null, balance_source: source } : row));
