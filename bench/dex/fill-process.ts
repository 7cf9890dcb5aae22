import { createDatabase, type Database } from "../../runtime/database/database.ts";
import { ledgerProjection } from "../../runtime/domains/ledger/projection/index.ts";
import { poolsProjection } from "../../runtime/domains/pools/projection/index.ts";
import { tokensProjection } from "../../runtime/domains/tokens/projection/index.ts";
import type { Row } from "../../runtime/indexer/projection.ts";
import { copyRows, fillTables, writeChain } from "../support/fill.ts";
import { readArgument, reportResult } from "../support/measured-process.ts";
import { withoutIndexes } from "../support/without-indexes.ts";
import { chainId } from "./chain-config.ts";
import { type Market, type MarketSize, marketOf, timeOfBlock } from "./market.ts";
import { generateMarket } from "./story.ts";

const { databaseUrl, ...size } = readArgument<MarketSize & { readonly databaseUrl: string }>();
const database = createDatabase({ url: databaseUrl, poolSize: 3, statementTimeoutMilliseconds: 0, applicationName: "ashlar-bench" });
const market = marketOf(size);
await withoutIndexes(database, async () => {
  const last = await fillTables(database, generateMarket(size), {
    chainId,
    projections: [ledgerProjection, tokensProjection, poolsProjection],
    nativeAccounting: "none",
    blocksPerBatch: 2_000,
    // No exchange query reads a wallet's transaction lists.
    omittedTables: new Set(["address_transactions"]),
  });
  if (last !== undefined) await writeChain(database, chainId, last);
  await writeTokenMetadata(database, market);
  await copyRows(
    database,
    chainId,
    { name: "feed_answers", columns: { feed: "bytea", block_number: "int8", answer: "numeric" } },
    feedAnswers(market),
  );
});
await database.query("VACUUM ANALYZE");
await database.close();
reportResult({});

/** Writes the metadata of tokens, and of pools that issue shares. */
async function writeTokenMetadata(target: Database, { tokens, pools }: Market): Promise<void> {
  const rowOf = (address: string, name: string, symbol: string, decimals: number): Row => ({
    address,
    block_number: 0,
    name,
    symbol,
    decimals,
    read_at_block: 0,
  });
  const columns = {
    address: "bytea",
    block_number: "int8",
    name: "text",
    symbol: "text",
    decimals: "int2",
    read_at_block: "int8",
  } as const;
  const shares = pools.filter(({ exchange }) => exchange.family === "xy=k");
  await copyRows(target, chainId, { name: "token_metadata", columns }, [
    ...tokens.map(({ address, symbol, decimals }) => rowOf(address, `Bench ${symbol}`, symbol, decimals)),
    ...shares.map(({ address }) => rowOf(address, "Bench Pool", "LP", 18)),
  ]);
}

/** One answer per feed and hour, within 1 % of the price in the first pools. */
function* feedAnswers({ blockCount, feeds, tokens }: Market): Generator<Row> {
  const hours = Math.ceil((timeOfBlock(market, size.until, blockCount - 1) - timeOfBlock(market, size.until, 0)) / 3_600);
  for (let hour = 0; hour < hours; hour += 1) {
    const block_number = Math.floor((blockCount * hour) / hours);
    const wave = 1 + Math.sin(hour / 24) / 100;
    for (const [feed, dollars] of [
      [feeds.native, tokens[0]?.dollars ?? 0],
      [feeds.euro, tokens[2]?.dollars ?? 0],
    ] as const) {
      yield { feed, block_number, answer: BigInt(Math.round(dollars * wave * 1e8)) };
    }
  }
}
