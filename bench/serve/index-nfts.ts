import { bytes } from "../../runtime/database/codecs.ts";
import type { Database } from "../../runtime/database/database.ts";
import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { secondsPerDay } from "../../runtime/lib/time.ts";
import { type StoryFacts, timeOfBlock } from "../queries/story.ts";
import { hexOf } from "../support/random.ts";

const kinds = { wallet: 7, collection: 8, minter: 9 } as const;
const walletCount = 200;
const collectionCount = 40;
const idsPerCollection = 10;
/** The numbers of the collections that a wallet holds, relative to the wallet's number. */
const steps = [0, 13, 27];
/** Seaport 1.5, a marketplace of the preset eth-mainnet. */
const marketplace: Address = "0x00000000000000adc04c56bf30ac9d3c0aaf14dc";

/** A wallet with ten ERC-721 tokens from each of three collections. */
export interface NftHolder {
  readonly wallet: Address;
  readonly collections: readonly Address[];
}

const numberedHolders = Array.from({ length: walletCount }, (_, number) => ({
  number,
  wallet: hexOf(kinds.wallet, number, 5),
  collections: steps.map((step) => hexOf(kinds.collection, (number + step) % collectionCount, 5)),
}));

/** The wallets with ERC-721 tokens. They hold no other tokens. */
export const nftHolders: readonly NftHolder[] = numberedHolders;

/** Writes collections with metadata, their tokens with documents, and the lowest prices of their sales by day. */
export async function writeNfts(database: Database, chainId: number, facts: StoryFacts): Promise<void> {
  await writeCollections(database, chainId, Math.floor(timeOfBlock(facts, facts.blockCount - 1) / secondsPerDay));
  const held = numberedHolders.flatMap(({ number, wallet, collections: tokens }) =>
    tokens.flatMap((token) =>
      Array.from({ length: idsPerCollection }, (_, index) => ({ wallet, token, id: number * idsPerCollection + index })),
    ),
  );
  await database.query(
    `WITH held AS MATERIALIZED (
         SELECT owner, token, token_id, token_id * 37 % $5::int8 AS block FROM unnest($2::bytea[], $3::bytea[], $4::int8[]) AS h(owner, token, token_id)),
       ids AS (
         INSERT INTO nft_tokens (chain_id, token, token_id, standard, block_number, original_owner)
         SELECT $1, token, token_id, 2, 1, CASE token_id % 2 WHEN 0 THEN owner ELSE $6::bytea END FROM held),
       id_balances AS (
         INSERT INTO nft_balances (chain_id, owner, token, token_id, standard, since_block, balance)
         SELECT $1, owner, token, token_id, 2, block, 1 FROM held),
       sums AS (
         INSERT INTO balances (chain_id, owner, token, standard, since_block, balance)
         SELECT $1, owner, token, 2, max(block), count(*) FROM held GROUP BY owner, token)
     INSERT INTO nft_metadata (chain_id, token, token_id, standard, block_number, read_at_block, read_at, token_url, document, name, description, image,
       external_url, attributes)
     SELECT $1, token, token_id, 2, 1, 1, now(), 'https://metadata.bench.invalid/' || token_id, '{}', 'Bench #' || token_id,
       'Token number ' || token_id || ' of a collection that only exists in a benchmark.', 'https://assets.bench.invalid/' || token_id || '.png',
       'https://bench.invalid/tokens/' || token_id,
       (SELECT jsonb_agg(jsonb_build_object('trait_type', 'Trait ' || n, 'value', 'Value ' || token_id % (7 * n))) FROM generate_series(1, 5) AS n)
     FROM held`,
    [
      chainId,
      held.map(({ wallet }) => bytes(wallet)),
      held.map(({ token }) => bytes(token)),
      held.map(({ id }) => id),
      facts.blockCount,
      bytes(hexOf(kinds.minter, 0, 5)),
    ],
  );
}

/** Writes the collections, with one sale per day in the last 60 days. */
async function writeCollections(database: Database, chainId: number, lastDay: number): Promise<void> {
  const addresses = Array.from({ length: collectionCount }, (_, number) => bytes(hexOf(kinds.collection, number, 5)));
  await database.query(
    `WITH collection AS MATERIALIZED (SELECT token, position FROM unnest($2::bytea[]) WITH ORDINALITY AS c(token, position)),
       standards AS (INSERT INTO token_standards (chain_id, address, standard, block_number) SELECT $1, token, 2, 1 FROM collection),
       metadata AS (
         INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block)
         SELECT $1, token, 1, 'Bench Collection ' || position, 'BC' || position, NULL, 1 FROM collection)
     INSERT INTO nft_market_days (chain_id, collection, day, marketplace, payment_token, since_block, sales, wash_sales, amount, wash_amount, lowest)
     SELECT $1, token, day, $4::bytea, $5::bytea, 1, 1, 0, price, 0, price
     FROM collection CROSS JOIN generate_series($3::int4 - 59, $3::int4) AS d(day)
     CROSS JOIN LATERAL (SELECT ((position * 31 + d.day * 17) % 89 + 11) * 1e16 AS price) p`,
    [chainId, addresses, lastDay, bytes(marketplace), bytes(nativeTokenAddress)],
  );
}
