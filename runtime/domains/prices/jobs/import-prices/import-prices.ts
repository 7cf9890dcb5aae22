import { bytes, bytesArray } from "../../../../database/codecs.ts";
import type { DatabaseClient } from "../../../../database/database.ts";
import { upsert } from "../../../../database/upsert.ts";
import { nativeTokenAddress } from "../../../../lib/hex.ts";
import { tokenMetadataKind } from "../../../tokens/projection/metadata-reads.ts";
import type { Asset } from "../../engine/assets.ts";
import { discardPrices } from "../compute-prices/price-settings.ts";
import type { FilePrice } from "./parse-price-file.ts";

/** Stores an operator's prices in addition to the prices imported before, and discards the computed prices from the earliest new one on. */
export async function importPrices(client: DatabaseClient, chainId: number, prices: readonly FilePrice[]): Promise<void> {
  const first = prices.reduce((earliest, { since }) => Math.min(earliest, since), Number.POSITIVE_INFINITY);
  if (first === Number.POSITIVE_INFINITY) return;
  await discardPrices(client, chainId, first);
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
  await queueMetadataReads(
    client,
    chainId,
    prices.map(({ asset }) => asset),
  );
}

/** Queues metadata reads of tokens without stored metadata: the price of a whole token is unusable without its decimals. */
const queueMetadataReads = async (client: DatabaseClient, chainId: number, assets: readonly Asset[]): Promise<void> => {
  await client.query(
    `INSERT INTO node_reads (chain_id, kind, key, block_number)
     SELECT $1, $2, a.asset, h.number FROM (SELECT max(number) AS number FROM blocks WHERE chain_id = $1) h, (SELECT DISTINCT unnest($3::bytea[]) AS asset) a
     WHERE h.number IS NOT NULL AND length(a.asset) = 20 AND a.asset <> $4
       AND NOT EXISTS (SELECT FROM token_metadata m WHERE m.chain_id = $1 AND m.address = a.asset)
     ON CONFLICT (chain_id, kind, key) DO NOTHING`,
    [chainId, tokenMetadataKind, bytesArray(new Set(assets)), bytes(nativeTokenAddress)],
  );
};
