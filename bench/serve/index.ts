import { createHash } from "node:crypto";
import { bytes } from "../../runtime/database/codecs.ts";
import type { Database } from "../../runtime/database/database.ts";
import { nodeOf, reverseNamespaces, reverseNode } from "../../runtime/domains/names/name-nodes.ts";
import { nameRecordKinds } from "../../runtime/domains/names/projection.ts";
import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { secondsPerDay, secondsPerHour } from "../../runtime/lib/time.ts";
import { factsOf, type StoryFacts, type StorySize, storyVersion, timeOfBlock } from "../queries/story.ts";
import { openCachedIndex } from "../support/cached-index.ts";
import { hexOf } from "../support/random.ts";
import type { BenchServer } from "../support/server.ts";
import { writeNfts } from "./index-nfts.ts";
import { writePools } from "./index-pools.ts";

/** Incremented when the rows that are added to the index change. */
const version = 2;
const mainnetId = 1;
/** The registry of the preset eth-mainnet. */
export const nameRegistry: Address = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e";
const resolver = hexOf(6, 0, 5);
const draft = "bench_serve_draft";

/**
 * Opens a copy of the `bench queries` index with prices, names, NFTs and pools; it is stored for later runs. Returns the name of
 * its database.
 * Indexes of other chains have the same blocks.
 */
export async function openServedIndex(
  server: BenchServer,
  size: StorySize,
  print: (line: string) => void,
  chainId = mainnetId,
): Promise<string> {
  const cached = {
    name: `queries_${size.transfers}`,
    // `bench queries` uses the same index of mainnet.
    inputs: chainId === mainnetId ? [storyVersion, size] : [storyVersion, size, chainId],
    label: `an index with ${size.transfers} transfers`,
    script: new URL("../queries/fill-process.ts", import.meta.url),
    argument: { ...size, chainId },
  };
  const source = await openCachedIndex(server, cached, print);
  const hash = createHash("sha256").update(`${source} ${version}`).digest("hex").slice(0, 12);
  const prefix = `serve_${size.transfers}_`;
  const name = `${prefix}${hash}`;
  const names = await server.names();
  if (names.includes(name)) return name;
  for (const outdated of names.filter((other) => other.startsWith(prefix))) await server.drop(outdated);
  print("Copying the index, and adding prices, names, NFTs and pools");
  await server.copy(source, draft);
  const facts = factsOf(size);
  await server.runOn(draft, async (database) => {
    await writePrices(database, chainId, facts);
    await writeNames(database, chainId, facts);
    await writeNfts(database, chainId, facts);
    await writePools(database, chainId, facts);
    await database.query("VACUUM ANALYZE");
  });
  await server.rename(draft, name);
  return name;
}

/** Writes daily prices of the native token, and of every third token of ordinary wallets and of the busy address. */
async function writePrices(database: Database, chainId: number, facts: StoryFacts): Promise<void> {
  const first = timeOfBlock(facts, 0);
  const last = timeOfBlock(facts, facts.blockCount - 1);
  const numbers = [...Array.from({ length: 300 }, (_, index) => index + 1), ...Array.from({ length: 3_000 }, (_, index) => index + 1_000)];
  const assets = [nativeTokenAddress, ...numbers.filter((number) => number % 3 === 0).map((number) => facts.tokenOf(number))];
  await database.query(
    `WITH asset AS (SELECT asset, position FROM unnest($2::bytea[]) WITH ORDINALITY AS a(asset, position)),
       hours AS (
         INSERT INTO price_hours (chain_id, asset, hour, open, high, low, close, block_number)
         SELECT $1, asset, h.hour, p.price, p.price, p.price, p.price, 0
         FROM asset CROSS JOIN generate_series($3::int4, $4::int4, 24) AS h(hour)
         CROSS JOIN LATERAL (SELECT ((position * 37 + h.hour * 11) % 9973 + 1)::numeric / 1e21 AS price) p RETURNING 1),
       days AS (
         INSERT INTO price_days (chain_id, asset, day, open, high, low, close, block_number)
         SELECT $1, asset, d.day, p.price, p.price, p.price, p.price, 0
         FROM asset CROSS JOIN generate_series($3::int4 / 24, $4::int4 / 24) AS d(day)
         CROSS JOIN LATERAL (SELECT ((position * 37 + d.day * 11) % 9973 + 1)::numeric / 1e21 AS price) p RETURNING 1),
       priced AS (INSERT INTO priced_assets (chain_id, asset, hour, block_number) SELECT $1, asset, $3::int4, 0 FROM asset RETURNING 1)
     INSERT INTO price_progress (chain_id, hour, block_number) VALUES ($1, $4::int4, $5)`,
    [chainId, assets.map(bytes), Math.floor(first / secondsPerHour), Math.floor(last / secondsPerHour), facts.blockCount - 1],
  );
  if (last - first < secondsPerDay) throw new Error("Expected blocks that span more than one day.");
}

/** Writes names of some wallets and tokens, as records of a resolver, and by address for the bare server, which cannot compute nodes in SQL. */
async function writeNames(database: Database, chainId: number, facts: StoryFacts): Promise<void> {
  const [namespace] = reverseNamespaces(chainId);
  if (namespace === undefined) throw new Error(`Chain ${chainId} has no namespace of reverse names.`);
  const wallets = facts.ordinary.filter((_, index) => index % 5 === 0);
  const tokens = Array.from({ length: 80 }, (_, index) => facts.tokenOf(1_000 + index * 25));
  const named = [facts.busy, ...wallets, ...tokens].map((address, index) => ({ address, name: `name-${index}.eth` }));
  const records = named.flatMap(({ address, name }) => {
    const [forward, reverse] = [nodeOf(name), reverseNode(namespace, address)];
    return [
      { contract: nameRegistry, node: forward, record: nameRecordKinds.resolver, value: resolver },
      { contract: nameRegistry, node: reverse, record: nameRecordKinds.resolver, value: resolver },
      { contract: resolver, node: forward, record: nameRecordKinds.address, value: address },
      { contract: resolver, node: reverse, record: nameRecordKinds.name, value: `0x${Buffer.from(name).toString("hex")}` },
    ];
  });
  await database.query(
    `INSERT INTO name_records (chain_id, contract, node, record, block_number, value)
     SELECT $1, * FROM unnest($2::bytea[], $3::bytea[], $4::int2[], $5::int8[], $6::bytea[])`,
    [
      chainId,
      records.map(({ contract }) => bytes(contract)),
      records.map(({ node }) => bytes(node)),
      records.map(({ record }) => record),
      records.map(() => 1),
      records.map(({ value }) => bytes(value)),
    ],
  );
  await database.query("CREATE TABLE bench_names (address bytea PRIMARY KEY, name text NOT NULL)");
  await database.query("INSERT INTO bench_names SELECT * FROM unnest($1::bytea[], $2::text[])", [
    named.map(({ address }) => bytes(address)),
    named.map(({ name }) => name),
  ]);
}
