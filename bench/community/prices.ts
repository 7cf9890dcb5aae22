import type { Database } from "../../runtime/database/database.ts";
import type { Address } from "../../runtime/lib/hex.ts";
import { copyRows } from "../support/fill.ts";

const days = 90;

/** Writes asset metadata, and hourly prices for the 90 days before a time (Unix seconds). */
export async function writeAssetPrices(database: Database, chainId: number, assets: readonly Address[], until: number): Promise<void> {
  const metadataColumns = {
    address: "bytea",
    block_number: "int8",
    name: "text",
    symbol: "text",
    decimals: "int2",
    read_at_block: "int8",
  } as const;
  const last = Math.floor(until / 3_600);
  const hours = Array.from({ length: 24 * days }, (_, position) => last - 24 * days + 1 + position);
  const priceColumns = {
    asset: "bytea",
    hour: "int4",
    open: "numeric",
    high: "numeric",
    low: "numeric",
    close: "numeric",
    block_number: "int8",
  } as const;
  await copyRows(
    database,
    chainId,
    { name: "token_metadata", columns: metadataColumns },
    assets.map((address, number) => ({
      address,
      block_number: 0,
      name: `Bench Asset ${number}`,
      symbol: `A${number}`,
      decimals: 18,
      read_at_block: 0,
    })),
  );
  await copyRows(database, chainId, { name: "price_hours", columns: priceColumns }, hourlyPrices(assets, hours));
  const firstHourColumns = { asset: "bytea", hour: "int4", block_number: "int8" } as const;
  await copyRows(
    database,
    chainId,
    { name: "priced_assets", columns: firstHourColumns },
    assets.map((asset) => ({ asset, hour: hours[0] ?? 0, block_number: null })),
  );
  await copyRows(database, chainId, { name: "price_progress", columns: { hour: "int4", block_number: "int8" } }, [
    { hour: last, block_number: null },
  ]);
}

/** Generates rows with the hourly prices of assets, in US dollars per smallest unit of a token with 18 decimals. */
function* hourlyPrices(assets: readonly Address[], hours: readonly number[]) {
  for (const [number, asset] of assets.entries()) {
    for (const hour of hours) {
      const cents = 100 * (1 + number) + (hour % 24);
      const price = `0.${String(cents).padStart(20, "0")}`;
      yield { asset, hour, open: price, high: price, low: price, close: price, block_number: null };
    }
  }
}
