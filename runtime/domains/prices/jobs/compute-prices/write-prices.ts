import { bytesArray } from "../../../../database/codecs.ts";
import type { DatabaseClient } from "../../../../database/database.ts";
import { identifier, sql } from "../../../../database/sql.ts";
import { upsert } from "../../../../database/upsert.ts";
import { deleteRows } from "../../../../indexer/storage/delete-rows.ts";
import { type Decimal, toText } from "../../../../lib/decimal.ts";
import { secondsPerDay, secondsPerHour } from "../../../../lib/time.ts";
import { type FirstPrice, type Portion, spanEndsOf } from "./candle-builder.ts";
import type { CandleRow, CandleRows } from "./candle-spans.ts";
import { createEvidenceQueries, dayOfHour, type PriceProgress } from "./evidence.ts";
import type { BlockRef } from "./evidence-blocks.ts";
import { lockSettingsWithTimeout } from "./price-settings.ts";

/** A portion, and the state that it was computed from. */
export interface PortionWrite {
  readonly portion: Portion;
  readonly block: BlockRef | null;
  /** The progress before the portion. */
  readonly progress: PriceProgress | null;
  /** Identifies the settings that the portion was computed with. */
  readonly fingerprint: string;
  /** The revision of the prices when the portion was computed. */
  readonly revision: number;
  /** Whether the portion is the first one of its computer: if so, rows after the last completed hour are deleted, because they are recomputed. */
  readonly isFirst: boolean;
}

/** Writes a portion; false, without writing, if its block was replaced or the progress has changed. @throws {Error} if another process is discarding prices. */
export async function writePortion(client: DatabaseClient, chainId: number, write: PortionWrite): Promise<boolean> {
  const { portion, block, progress, fingerprint, revision, isFirst } = write;
  const settings = await lockSettingsWithTimeout(client, chainId);
  const queries = createEvidenceQueries(client, chainId);
  const stored = await queries.progress();
  if (settings.revision !== revision || stored?.hour !== progress?.hour) return false;
  if (block !== null && !(await queries.areCanonical([block]))) return false;
  if (settings.fingerprint === null) {
    await client.query("UPDATE price_settings SET fingerprint = $2 WHERE chain_id = $1", [chainId, fingerprint]);
  }
  if (isFirst) await deleteUnfinished(client, chainId, progress);
  const head = block?.number ?? null;
  const endBlocks = await queries.blocksFrom(spanEndsOf(portion));
  const blockOf = ({ end }: { readonly end: number | null }): number | null => (end === null ? head : (endBlocks.get(end) ?? null));
  await writeCandles(client, chainId, "price_hours", "hour", portion.hours, blockOf);
  await writeCandles(client, chainId, "price_days", "day", portion.days, blockOf);
  await writeFirstPrices(client, chainId, portion.firstPrices, blockOf);
  if (portion.completedHour !== null && portion.completedHour > (progress?.hour ?? Number.NEGATIVE_INFINITY)) {
    await client.query("INSERT INTO price_progress (chain_id, hour, block_number) VALUES ($1, $2, $3)", [
      chainId,
      portion.completedHour,
      endBlocks.get((portion.completedHour + 1) * secondsPerHour) ?? null,
    ]);
  }
  return true;
}

/**
 * Deletes the rows after the last completed hour, which were written before their hour or day was complete. Served by the rollback indexes, because the block
 * of a row is not before its hour or day, and by the primary key of priced_assets.
 */
const deleteUnfinished = async (client: DatabaseClient, chainId: number, progress: PriceProgress | null): Promise<void> => {
  if (progress === null) {
    for (const table of ["price_hours", "price_days", "priced_assets"]) await deleteRows(client, chainId, table);
    return;
  }
  const hour = progress.hour + 1;
  const day = dayOfHour(hour);
  const deleteFrom = (table: "price_hours" | "price_days", span: "hour" | "day", first: number, time: number) =>
    client.query(
      sql`DELETE FROM ${identifier(table)} WHERE chain_id = $1 AND ${identifier(span)} >= $2 AND block_number >= (
            SELECT number FROM blocks WHERE chain_id = $1 AND timestamp >= $3 ORDER BY timestamp, number LIMIT 1)`,
      [chainId, first, time],
    );
  await deleteFrom("price_hours", "hour", hour, hour * secondsPerHour);
  await deleteFrom("price_days", "day", day, day * secondsPerDay);
  await client.query("DELETE FROM priced_assets WHERE chain_id = $1 AND hour >= $2", [chainId, hour]);
};

const writeFirstPrices = async (
  client: DatabaseClient,
  chainId: number,
  { rows, retracted }: Portion["firstPrices"],
  blockOf: (row: FirstPrice) => number | null,
): Promise<void> => {
  await client.query("DELETE FROM priced_assets WHERE chain_id = $1 AND asset = ANY ($2::bytea[])", [chainId, bytesArray(retracted)]);
  await upsert(
    client,
    {
      table: "priced_assets",
      key: ["chain_id", "asset"],
      columns: ["chain_id", "asset", "hour", "block_number"],
      types: ["int8", "bytea", "int4", "int8"],
    },
    rows.map((first) => [chainId, first.asset, first.hour, blockOf(first)]),
  );
};

const writeCandles = async (
  client: DatabaseClient,
  chainId: number,
  table: "price_hours" | "price_days",
  span: "hour" | "day",
  { rows, retracted }: CandleRows,
  blockOf: (row: CandleRow) => number | null,
): Promise<void> => {
  await client.query(
    sql`DELETE FROM ${identifier(table)} p USING unnest($2::bytea[], $3::int4[]) AS r(asset, span)
        WHERE p.chain_id = $1 AND p.asset = r.asset AND p.${identifier(span)} = r.span`,
    [chainId, bytesArray(retracted.map(({ asset }) => asset)), retracted.map((row) => row.span)],
  );
  await upsert(
    client,
    {
      table,
      key: ["chain_id", "asset", span],
      columns: ["chain_id", "asset", span, "open", "high", "low", "close", "block_number"],
      types: ["int8", "bytea", "int4", "numeric", "numeric", "numeric", "numeric", "int8"],
    },
    rows.map((row) => [
      chainId,
      row.asset,
      row.span,
      textOf(row.candle.open),
      textOf(row.candle.high),
      textOf(row.candle.low),
      textOf(row.candle.close),
      blockOf(row),
    ]),
  );
};

const textOf = (price: Decimal | null): string | null => (price === null ? null : toText(price));
