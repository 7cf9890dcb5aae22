import { bytes } from "../../../database/codecs.ts";
import { concatenatedAddresses, jsonArrayOf, splitAddresses } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import { plannedOnce, sql } from "../../../database/sql.ts";
import { type Address, type Hex, zeroAddress } from "../../../lib/hex.ts";
import { maxUint256 } from "../projection/balances.ts";
import type { BalanceSource } from "./balance-source.ts";
import { directions, type HolderRow, newestRanking, selectTokenTotals, type TokenTotalsRow, wholeRankingParameters } from "./holder.ts";

interface TopHoldersRow {
  readonly owners: Hex;
  readonly balances: readonly string[];
  readonly holders: number | null;
  readonly supply: string | null;
  /** Null without totals. */
  readonly source: BalanceSource | null;
}

const selectTopHolders = plannedOnce(sql`SELECT page.owners, page.balances, totals.holders, totals.supply, totals.source
  FROM (SELECT ${concatenatedAddresses("owner")} AS owners, ${jsonArrayOf(sql`balance::text`)} AS balances FROM (${newestRanking(directions.largest)}) ranking) page
  LEFT JOIN (${selectTokenTotals(sql`$10`, sql`$11`)}) totals ON true`);

/** Queries for the largest holders. */
export const createTopHolderQueries = ({ query }: Pick<Database, "query">) => ({
  /** A token's largest holders as of the last block, and its totals, in one statement; see `holdersAt` and `tokenTotalsAt`. */
  topHolders: async (
    chainId: number,
    token: Address,
    standard: number,
    block: number,
    { limit, offset }: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly rows: readonly HolderRow[]; readonly totals: TokenTotalsRow | null }> => {
    const ranking = [chainId, bytes(token), standard, block, ...wholeRankingParameters(directions.largest, block), limit, offset];
    const [row] = await query<TopHoldersRow>(selectTopHolders, [...ranking, bytes(zeroAddress), maxUint256]);
    if (row === undefined) return { rows: [], totals: null };
    const { owners, balances, holders, supply, source } = row;
    return {
      rows: splitAddresses(owners).map((owner, index) => ({ owner, balance: balances[index] ?? "0" })),
      totals: source === null ? null : { holders, supply, source },
    };
  },
});
