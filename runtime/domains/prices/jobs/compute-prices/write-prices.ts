import { bytesArray } from "../../../../database/codecs.ts";
import type { DatabaseClient } from "../../../../database/database.ts";
import { upsert } from "../../../../database/upsert.ts";
import { deleteRows } from "../../../../indexer/storage/delete-rows.ts";
import { type Decimal, toText } from "../../../../lib/decimal.ts";
import { secondsOfDay, secondsOfHour } from "../../../../lib/time.ts";
import { type CandleRow, endsIn, type Portion, type Spoken } from "./candle-builder.ts";
import { createEvidenceQueries, dayOfHour, type Height, type Progress } from "./evidence.ts";
import { lockFreeSettings } from "./price-settings.ts";

/** A portion, and what it was made beside. */
export interface Made {
  readonly portion: Portion;
  readonly height: Height | null;
  /** The last hour that was done before. */
  readonly progress: Progress | null;
  /** What it was made by; and how often prices had been undone then. */
  readonly fingerprint: string;
  readonly revision: number;
  /** The first portion since the making was taken up: what was written after the last hour that is done goes, as it is made again. */
  readonly isFirst: boolean;
}

/** Writes a portion. False, and nothing written, where its block is gone or the progress is not what it was. @throws {Error} while others undo prices. */
export async function writePortion(client: DatabaseClient, chainId: number, made: Made): Promise<boolean> {
  const { portion, height, progress, fingerprint, revision, isFirst } = made;
  const settings = await lockFreeSettings(client, chainId);
  const queries = createEvidenceQueries(client, chainId);
  const stored = await queries.progress();
  if (settings.revision !== revision || stored?.hour !== progress?.hour) return false;
  if (height !== null && !(await queries.stand([height]))) return false;
  if (settings.fingerprint === null) {
    await client.query("UPDATE price_settings SET fingerprint = $2 WHERE chain_id = $1", [chainId, fingerprint]);
  }
  if (isFirst) await dropUndone(client, chainId, progress);
  const head = height?.number ?? null;
  const closings = await queries.blocksFrom(endsIn(portion));
  const blockOf = ({ end }: { readonly end: number | null }): number | null => (end === null ? head : (closings.get(end) ?? null));
  await writeCandles(client, chainId, "price_hours", "hour", portion.hours, blockOf);
  await writeCandles(client, chainId, "price_days", "day", portion.days, blockOf);
  await client.query("DELETE FROM priced_assets WHERE chain_id = $1 AND asset = ANY ($2::bytea[])", [
    chainId,
    bytesArray(portion.firsts.withdrawn),
  ]);
  await upsert(
    client,
    {
      table: "priced_assets",
      key: ["chain_id", "asset"],
      columns: ["chain_id", "asset", "hour", "block_number"],
      types: ["int8", "bytea", "int4", "int8"],
    },
    portion.firsts.rows.map((first) => [chainId, first.asset, first.hour, blockOf(first)]),
  );
  if (portion.doneHour !== null && portion.doneHour > (progress?.hour ?? Number.NEGATIVE_INFINITY)) {
    await client.query("INSERT INTO price_progress (chain_id, hour, block_number) VALUES ($1, $2, $3)", [
      chainId,
      portion.doneHour,
      closings.get((portion.doneHour + 1) * secondsOfHour) ?? null,
    ]);
  }
  return true;
}

/**
 * Deletes what follows the last hour that is done: what was told of a running hour and day. Served by the roll-back indexes, as such a row names a block of its
 * span at the earliest; by the primary key of priced_assets.
 */
const dropUndone = async (client: DatabaseClient, chainId: number, progress: Progress | null): Promise<void> => {
  if (progress === null) {
    for (const table of ["price_hours", "price_days", "priced_assets"]) await deleteRows(client, chainId, table);
    return;
  }
  const hour = progress.hour + 1;
  const day = dayOfHour(hour);
  const firstBlock = "(SELECT number FROM blocks WHERE chain_id = $1 AND timestamp >= $3 ORDER BY timestamp, number LIMIT 1)";
  const drop = (table: string, span: string, first: number, time: number) =>
    client.query(`DELETE FROM ${table} WHERE chain_id = $1 AND ${span} >= $2 AND block_number >= ${firstBlock}`, [chainId, first, time]);
  await drop("price_hours", "hour", hour, hour * secondsOfHour);
  await drop("price_days", "day", day, day * secondsOfDay);
  await client.query("DELETE FROM priced_assets WHERE chain_id = $1 AND hour >= $2", [chainId, hour]);
};

const writeCandles = async (
  client: DatabaseClient,
  chainId: number,
  table: "price_hours" | "price_days",
  span: "hour" | "day",
  { rows, withdrawn }: Spoken,
  blockOf: (row: CandleRow) => number | null,
): Promise<void> => {
  await client.query(
    `DELETE FROM ${table} p USING unnest($2::bytea[], $3::int4[]) AS w(asset, span) WHERE p.chain_id = $1 AND p.asset = w.asset AND p.${span} = w.span`,
    [chainId, bytesArray(withdrawn.map(({ asset }) => asset)), withdrawn.map((row) => row.span)],
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
