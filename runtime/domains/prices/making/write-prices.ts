import type { DatabaseClient } from "../../../database/database.ts";
import { upsert } from "../../../database/upsert.ts";
import { type Decimal, toText } from "../../../lib/decimal.ts";
import { secondsOfHour } from "../../../lib/time.ts";
import { dayOfHour, type Height, type Progress } from "./evidence-queries.ts";
import type { CandleRow, Portion } from "./price-ledger.ts";
import { lockSettings } from "./price-settings.ts";

/** A portion, and what it was made beside. */
export interface Made {
  readonly portion: Portion;
  /** The block by which the chain had passed each end of a span; null before the first block. */
  readonly closings: ReadonlyMap<number, number | null>;
  readonly height: Height | null;
  /** The block that the making had come to before it; null before the first. */
  readonly from: Height | null;
  /** The last hour that was done before. */
  readonly progress: Progress | null;
  /** What it was made by; and how often prices had been undone then. */
  readonly fingerprint: string;
  readonly revision: number;
  /** The first portion since the making was taken up: what was written above the last hour that is done goes, as it is made again. */
  readonly isFirst: boolean;
}

/** Writes a portion. False, and nothing written, where its block or the one before it is gone, or the progress is not what it was. */
export async function writePortion(client: DatabaseClient, chainId: number, made: Made): Promise<boolean> {
  const { portion, from, height, progress, fingerprint, revision, closings, isFirst } = made;
  const settings = await lockSettings(client, chainId);
  const [stored] = await client.query<{ hour: number }>("SELECT hour FROM price_progress WHERE chain_id = $1 ORDER BY hour DESC LIMIT 1", [
    chainId,
  ]);
  if (settings.revision !== revision || (stored?.hour ?? null) !== (progress?.hour ?? null)) return false;
  // A maker that went on from a block of another branch knows what was in it, and not what took its place.
  if (!(await stands(client, chainId, from)) || !(await stands(client, chainId, height))) return false;
  if (settings.fingerprint === null) {
    await client.query("UPDATE price_settings SET fingerprint = $2 WHERE chain_id = $1", [chainId, fingerprint]);
  }
  if (isFirst) await dropRunning(client, chainId, progress);
  const head = height?.number ?? null;
  const closingOf = (hour: number): number | null => closings.get((hour + 1) * secondsOfHour) ?? null;
  const blockOf = ({ end }: CandleRow): number | null => (end === null ? head : (closings.get(end) ?? null));
  await writeCandles(client, chainId, "price_hours", "hour", portion.hours, blockOf);
  await writeCandles(client, chainId, "price_days", "day", portion.days, blockOf);
  await upsert(
    client,
    {
      table: "priced_assets",
      key: ["chain_id", "asset"],
      columns: ["chain_id", "asset", "hour", "block_number"],
      types: ["int8", "bytea", "int4", "int8"],
    },
    portion.firsts.map(({ asset, hour }) => [chainId, asset, hour, hour <= (portion.doneHour ?? -1) ? closingOf(hour) : head]),
  );
  if (portion.doneHour !== null && portion.doneHour > (progress?.hour ?? Number.NEGATIVE_INFINITY)) {
    await client.query("INSERT INTO price_progress (chain_id, hour, block_number) VALUES ($1, $2, $3)", [
      chainId,
      portion.doneHour,
      closingOf(portion.doneHour),
    ]);
  }
  return true;
}

/**
 * Drops what was written of hours and days that were not over: what is made again may not have a row there. All of it is of the block by which the last hour
 * was done, or of later ones. Served by the indexes on the block.
 */
const dropRunning = async (client: DatabaseClient, chainId: number, progress: Progress | null): Promise<void> => {
  const last = progress === null ? null : progress.hour;
  for (const [table, span, done] of [
    ["price_hours", "hour", last],
    ["price_days", "day", last === null ? null : dayOfHour(last + 1) - 1],
  ] as const)
    await client.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number >= $2 AND ($3::int4 IS NULL OR ${span} > $3)`, [
      chainId,
      progress?.block ?? 0,
      done,
    ]);
};

const stands = async (client: DatabaseClient, chainId: number, height: Height | null): Promise<boolean> => {
  if (height === null) return true;
  const [block] = await client.query<{ hash: string }>("SELECT hash FROM blocks WHERE chain_id = $1 AND number = $2", [
    chainId,
    height.number,
  ]);
  return block?.hash === height.hash;
};

const writeCandles = async (
  client: DatabaseClient,
  chainId: number,
  table: "price_hours" | "price_days",
  span: "hour" | "day",
  rows: readonly CandleRow[],
  blockOf: (row: CandleRow) => number | null,
): Promise<void> => {
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
