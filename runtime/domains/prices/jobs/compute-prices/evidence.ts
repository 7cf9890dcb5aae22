import { bytesArray } from "../../../../database/codecs.ts";
import type { Queryable } from "../../../../database/database.ts";
import { type Decimal, parseDecimal } from "../../../../lib/decimal.ts";
import type { Address } from "../../../../lib/hex.ts";
import { familyCodes } from "../../../pools/projection/tables.ts";
import { tokenMetadataKind } from "../../../tokens/projection/metadata-reads.ts";
import type { Asset } from "../../engine/assets.ts";
import type { FileObservation, PricedPool } from "../../engine/observations.ts";
import { createBlockEvidence } from "./evidence-blocks.ts";
import { createObservationEvidence } from "./evidence-observations.ts";

/** The last completed hour (since 1970), and the first block at or after its end; null for an hour before the first block. */
export interface PriceProgress {
  readonly hour: number;
  readonly block: number | null;
}

/** The day (since 1970) of an hour. */
export const dayOfHour = (hour: number): number => Math.floor(hour / 24);

/** All queries for price computation. */
export type EvidenceQueries = ReturnType<typeof createEvidenceQueries>;

/** The queries for a chain's price computation. `pageSize` bounds the pool states of one page. */
export const createEvidenceQueries = (queryable: Queryable, chainId: number, pageSize?: number) => ({
  ...createBlockEvidence(queryable, chainId),
  ...createObservationEvidence(queryable, chainId, pageSize),
  ...createProgressEvidence(queryable, chainId),
  ...createSubjectEvidence(queryable, chainId),
});

const createProgressEvidence = ({ query }: Queryable, chainId: number) => ({
  /** The progress of the computation; null before the first completed hour. Served by the primary key of price_progress. */
  progress: async (): Promise<PriceProgress | null> => {
    const rows = await query<PriceProgress>(
      "SELECT hour, block_number AS block FROM price_progress WHERE chain_id = $1 ORDER BY hour DESC LIMIT 1",
      [chainId],
    );
    return rows[0] ?? null;
  },
  /** The assets that had a price by the end of an hour, and their prices before a day began. Served by the primary keys, one probe per asset. */
  pricesBefore: async (day: number, hour: number): Promise<{ prices: Map<Asset, Decimal>; pricedAssets: Set<Asset> }> => {
    const rows = await query<{ asset: Asset; close: string | null }>(
      `SELECT a.asset, (SELECT close FROM price_days p WHERE p.chain_id = $1 AND p.asset = a.asset AND p.day < $2 ORDER BY p.day DESC LIMIT 1) AS close
       FROM priced_assets a WHERE a.chain_id = $1 AND a.hour <= $3`,
      [chainId, day, hour],
    );
    const prices = new Map(rows.flatMap(({ asset, close }) => (close === null ? [] : [[asset, parseDecimal(close)] as const])));
    return { prices, pricedAssets: new Set(rows.map(({ asset }) => asset)) };
  },
});

const createSubjectEvidence = ({ query }: Queryable, chainId: number) => ({
  /** The given contracts that are the factories' pools. Served by pools_factory. */
  poolsAmong: async (contracts: readonly Address[], factories: readonly Address[]): Promise<PricedPool[]> => {
    const rows = await query<{ pool: Address; token0: Address; token1: Address; family: number }>(
      `SELECT DISTINCT ON (pool) pool, token0, token1, family FROM pools
       WHERE chain_id = $1 AND factory = ANY ($2::bytea[]) AND pool = ANY ($3::bytea[]) ORDER BY pool, announcement`,
      [chainId, bytesArray(factories), bytesArray(contracts)],
    );
    return rows.map(({ family, ...pool }) => ({ ...pool, isConcentrated: family === familyCodes.concentrated }));
  },
  /** All imported prices, in chronological order. Served by the primary key. */
  fileObservations: async (): Promise<FileObservation[]> => {
    const rows = await query<{ asset: Asset; since: number; price: string | null }>(
      "SELECT asset, since, price FROM price_imports WHERE chain_id = $1 ORDER BY since, asset",
      [chainId],
    );
    return rows.map(({ asset, since, price }) => ({ kind: "file", time: since, asset, price }));
  },
  /** The decimals of tokens; `isPending` while the first attempt to read a contract may be in progress. Served by the primary keys. */
  decimalsOf: async (tokens: readonly Address[]) => {
    const [rows, pending] = await Promise.all([
      query<{ address: Address; decimals: number | null }>(
        "SELECT address, decimals FROM token_metadata WHERE chain_id = $1 AND address = ANY ($2::bytea[])",
        [chainId, bytesArray(tokens)],
      ),
      query("SELECT FROM node_reads WHERE chain_id = $1 AND kind = $2 AND key = ANY ($3::bytea[]) AND attempts < 2 LIMIT 1", [
        chainId,
        tokenMetadataKind,
        bytesArray(tokens),
      ]),
    ]);
    return { isPending: pending.length > 0, decimals: new Map(rows.map(({ address, decimals }) => [address, decimals])) };
  },
});
