import type { Currency } from "../../../../generated/requests.gen.ts";
import { concatenatedAddresses, jsonArrayOf, splitAddresses } from "../../../database/columns.ts";
import type { Queryable } from "../../../database/database.ts";
import { plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import { parseDecimal } from "../../../lib/decimal.ts";
import type { Address, Hex } from "../../../lib/hex.ts";
import { mapInTurns } from "../../../lib/turns.ts";
import { standards } from "../../tokens/projection/standards.ts";
import { type BalanceRow, type BalancesBeforeColumns, balancesBeforeIn, selectBalancesBefore } from "../../tokens/queries/balance.ts";
import {
  type HeldTokens,
  type HoldingColumns,
  holdingCtes,
  holdingParameters,
  holdingsIn,
  selectHeldMetadataLists,
  selectHoldingLists,
} from "../../tokens/queries/holding.ts";
import { type MetadataColumns, metadataIn } from "../../tokens/queries/metadata.ts";
import type { OwnedTokenRates } from "./owned-token-rates.ts";
import { type ClosingPriceQueries, convert, hourlyCandles, hourOf, type Rate } from "./rates.ts";

/** A wallet's holdings with their rates, and its balances at an earlier time. */
export interface Wallet extends HeldTokens {
  /** The balances after the last block before the earlier time; null if there is none. */
  readonly balancesBefore: readonly BalanceRow[] | null;
  /** The rates of the holdings at each of the requested times. */
  readonly rates: OwnedTokenRates;
}

/** A request for a wallet after a block. */
export interface WalletRequest {
  readonly owner: Address;
  readonly block: number;
  readonly currency: Currency;
  /** Max holdings; an arbitrary subset if there are more. */
  readonly limit: number;
  /** The earlier time (unix seconds), exclusive. */
  readonly before: number;
  /** The times (unix seconds) of the rates. */
  readonly times: readonly [number, number];
}

interface RateColumns {
  readonly priced: Hex;
  readonly closes: readonly (string | null)[];
  readonly earlier_closes: readonly (string | null)[];
}

type WalletColumns = HoldingColumns &
  MetadataColumns &
  RateColumns & { readonly [Name in keyof BalancesBeforeColumns as `before_${Name}`]: BalancesBeforeColumns[Name] };

const closeAt = (hour: Sql): Sql =>
  sql`(SELECT close FROM price_hours p WHERE p.chain_id = $1 AND p.asset = o.token AND p.hour <= ${hour} ORDER BY p.hour DESC LIMIT 1)::text`;

/** The closing prices of the native token ($5) and the holdings that ever had one, in the hours $7 and $8. */
const selectRates = sql`SELECT ${concatenatedAddresses("token")} AS priced, ${jsonArrayOf(closeAt(sql`$7::int4`))} AS closes, ${jsonArrayOf(closeAt(sql`$8::int4`))} AS earlier_closes
  FROM (SELECT h.token FROM held h JOIN priced_assets a ON a.chain_id = $1 AND a.asset = h.token
    WHERE h.standard = ${standards.erc20}
    UNION SELECT asset FROM priced_assets WHERE chain_id = $1 AND asset = $5) o`;

const selectWallet = plannedOnce(sql`WITH ${holdingCtes}
  SELECT * FROM (${selectHoldingLists}) holdings, (${selectHeldMetadataLists}) metadata, (${selectRates}) rates,
    (${selectBalancesBefore(sql`$6`, sql`$3`)}) before(before_block, before_tokens, before_standards, before_balances)`);

const emptyHoldings = { holdings: [], balancesBefore: null };

/** Queries for wallets with rates. */
export const createWalletQueries = ({ query }: Queryable, { knownUntil, currencyRates }: ClosingPriceQueries) => ({
  /**
   * Everything that a list of a wallet's holdings shows, read by one statement. Served by the primary keys of balances, metadata and prices, and by
   * blocks_timestamp.
   */
  walletAt: async (chainId: number, { owner, block, currency, limit, before, times }: WalletRequest): Promise<Wallet> => {
    const spans = times.map(hourOf);
    const [until, [columns], currencies] = await Promise.all([
      knownUntil(chainId, hourlyCandles),
      query<WalletColumns>(selectWallet, [...holdingParameters(chainId, owner, block, limit), before, ...spans]),
      currencyRates(chainId, currency, hourlyCandles, spans),
    ]);
    const dollars = await ratesIn(columns, spans, until);
    const usd: OwnedTokenRates["usd"] = (asset, position) => dollars[position]?.get(asset) ?? null;
    const rate: OwnedTokenRates["rate"] =
      currencies === null ? usd : (asset, position) => convert(usd(asset, position), currencies.get(spans[position] ?? -1) ?? null);
    if (columns === undefined) return { ...emptyHoldings, metadata: new Map(), rates: { rate, usd } };
    const { before_block: asOf, before_tokens: tokens, before_standards, before_balances: balances } = columns;
    return {
      holdings: await holdingsIn(columns),
      metadata: await metadataIn(columns),
      balancesBefore: await balancesBeforeIn({ block: asOf, tokens, standards: before_standards, balances }),
      rates: { rate, usd },
    };
  },
});

/** The rates by asset at each time; those after the last known span are unknown. */
async function ratesIn(columns: RateColumns | undefined, spans: readonly number[], until: number): Promise<ReadonlyMap<Address, Rate>[]> {
  if (columns === undefined) return [];
  const assets = splitAddresses(columns.priced);
  return Promise.all(
    [columns.closes, columns.earlier_closes].map(async (closes, position) => {
      if ((spans[position] ?? 0) > until) return new Map();
      return new Map(await mapInTurns(assets, (asset, index): [Address, Rate] => [asset, rateOf(closes[index] ?? null)]));
    }),
  );
}

const rateOf = (close: string | null): Rate => (close === null ? null : parseDecimal(close));
