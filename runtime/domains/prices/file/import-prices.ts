import type { DatabaseClient } from "../../../database/database.ts";
import { upsert } from "../../../database/upsert.ts";
import { undoPrices } from "../making/price-settings.ts";
import type { FilePrice } from "./parse-prices.ts";

/** Keeps an operator's prices beside those that were told before, and has what they change made anew. */
export async function importPrices(client: DatabaseClient, chainId: number, prices: readonly FilePrice[]): Promise<void> {
  const first = prices.reduce((earliest, { since }) => Math.min(earliest, since), Number.POSITIVE_INFINITY);
  if (first === Number.POSITIVE_INFINITY) return;
  await undoPrices(client, chainId, first);
  await upsert(
    client,
    {
      table: "price_imports",
      key: ["chain_id", "asset", "since"],
      columns: ["chain_id", "asset", "since", "price"],
      types: ["int8", "bytea", "int8", "numeric"],
    },
    prices.map(({ asset, since, price }) => [chainId, asset, since, price]),
  );
}
