import { bytes } from "../../../../database/codecs.ts";
import type { CopyType, CopyValue } from "../../../../database/copy.ts";
import type { DatabaseClient } from "../../../../database/database.ts";
import { identifier, sql } from "../../../../database/sql.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { JobContext } from "../../../../jobs/job.ts";
import { type Decimal, toText } from "../../../../lib/decimal.ts";
import type { Address } from "../../../../lib/hex.ts";
import { retentionHours } from "../../queries/roll-up.ts";
import { lastHourOf } from "../../queries/spans.ts";
import type { RollUp } from "./roll-up.ts";

/** The tables of migration 0014; a reorganisation rolls back all of them. */
export const rollUpTables = ["exchange_hours", "exchange_hour_pools", "exchange_hour_tokens"] as const;

/** Max rows per transaction: the indexing loop waits for it. */
const portionSize = 10_000;

/** A roll-up's exchange, the fingerprint of its settings, and the first block at or after the end of its hour. */
export interface RollUpKey {
  readonly factory: Address;
  readonly fingerprint: string;
  readonly closingBlock: IndexedBlock;
}

/** A row with its table. */
type Line = readonly [table: string, columns: readonly string[], types: readonly CopyType[], row: CopyValue[]];

const poolColumns = ["chain_id", "factory", "hour", "rank", "block_number", "pool", "liquidity", "volume", "week_volume"] as const;
const poolTypes: readonly CopyType[] = ["int8", "bytea", "int4", "int4", "int8", "bytea", "numeric", "numeric", "numeric"];
const tokenColumns = ["chain_id", "factory", "hour", "rank", "block_number", "token", "reserve", "volume", "swaps"] as const;
const tokenTypes: readonly CopyType[] = ["int8", "bytea", "int4", "int4", "int8", "bytea", "numeric", "numeric", "int8"];

const digitsOf = (value: Decimal | null): string | null => (value === null ? null : toText(value));

/**
 * Writes a roll-up in portions. The first portion deletes an earlier roll-up of the same hour; the last one writes the row of exchange_hours, which makes the
 * others visible. False if the closing block was replaced or this process may not write.
 */
export async function storeRollUp({ runExclusiveKeepingCache, chainId }: JobContext, key: RollUpKey, rollUp: RollUp): Promise<boolean> {
  const { factory, closingBlock } = key;
  const lines = linesOf(chainId, key, rollUp);
  for (let first = 0; ; first += portionSize) {
    const isLast = first + portionSize >= lines.length;
    const written = await runExclusiveKeepingCache(async (client) => {
      if (!(await isCanonical(client, chainId, closingBlock))) return false;
      if (first === 0) await deleteHour(client, chainId, factory, rollUp.hour);
      await copyLines(client, lines.slice(first, first + portionSize));
      if (isLast) await completeHour(client, chainId, key, rollUp);
      return true;
    });
    if (written !== true) return false;
    if (isLast) return true;
  }
}

const linesOf = (chainId: number, { factory, closingBlock }: RollUpKey, { hour, pools, tokens }: RollUp): Line[] => {
  const keyCells = (rank: number): CopyValue[] => [chainId, factory, hour, rank, closingBlock.number];
  return [
    ...pools.map(
      ({ pool, liquidity, volume, weekVolume }, rank): Line => [
        "exchange_hour_pools",
        poolColumns,
        poolTypes,
        [...keyCells(rank), pool, digitsOf(liquidity), digitsOf(volume), digitsOf(weekVolume)],
      ],
    ),
    ...tokens.map(
      ({ token, reserve, volume, swaps }, rank): Line => [
        "exchange_hour_tokens",
        tokenColumns,
        tokenTypes,
        [...keyCells(rank), token, reserve, volume, swaps],
      ],
    ),
  ];
};

const copyLines = async (client: DatabaseClient, lines: readonly Line[]): Promise<void> => {
  for (const name of ["exchange_hour_pools", "exchange_hour_tokens"]) {
    const tableLines = lines.filter(([table]) => table === name);
    const [first] = tableLines;
    if (first === undefined) continue;
    const [table, columns, types] = first;
    await client.copy(
      table,
      columns,
      tableLines.map(([, , , row]) => row),
      types,
    );
  }
};

/** Whether the index still has a block. Served by the primary key. */
const isCanonical = async (client: DatabaseClient, chainId: number, { number, hash }: IndexedBlock): Promise<boolean> =>
  (await client.query("SELECT FROM blocks WHERE chain_id = $1 AND number = $2 AND hash = $3", [chainId, number, bytes(hash)])).length > 0;

/** Deletes an hour's roll-up. Served by the primary keys. */
const deleteHour = async (client: DatabaseClient, chainId: number, factory: Address, hour: number): Promise<void> => {
  for (const name of rollUpTables) {
    await client.query(sql`DELETE FROM ${identifier(name)} WHERE chain_id = $1 AND factory = $2 AND hour = $3`, [
      chainId,
      bytes(factory),
      hour,
    ]);
  }
};

/** Writes the row of exchange_hours, and deletes hours past retention except the last ones of their days. Served by the primary keys. */
const completeHour = async (client: DatabaseClient, chainId: number, { factory, fingerprint, closingBlock }: RollUpKey, rollUp: RollUp) => {
  const { hour, liquidity, volume, dayVolume } = rollUp;
  await client.query(
    `INSERT INTO exchange_hours (chain_id, factory, hour, block_number, fingerprint, pools, week_pools, tokens, ranked_tokens, liquidity, volume, swaps,
       day_volume, day_swaps) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      chainId,
      bytes(factory),
      hour,
      closingBlock.number,
      fingerprint,
      rollUp.pools.length,
      rollUp.weekPoolCount,
      rollUp.tokenCount,
      rollUp.tokens.length,
      digitsOf(liquidity),
      digitsOf(volume),
      rollUp.swapCount,
      digitsOf(dayVolume),
      rollUp.daySwapCount,
    ],
  );
  const expired = await client.query<{ hour: number }>(
    sql`SELECT hour FROM exchange_hours WHERE chain_id = $1 AND factory = $2 AND hour <= $3 AND hour % 24 <> ${lastHourOf(0)}`,
    [chainId, bytes(factory), hour - retentionHours],
  );
  for (const past of expired) await deleteHour(client, chainId, factory, past.hour);
};
