import { bytes } from "../../runtime/database/codecs.ts";
import type { Database } from "../../runtime/database/database.ts";
import type { Address } from "../../runtime/lib/hex.ts";
import { secondsPerHour } from "../../runtime/lib/time.ts";
import { type StoryFacts, timeOfBlock } from "../queries/story.ts";
import { hexOf } from "../support/random.ts";
import { exchanges } from "./exchanges.ts";

const poolKind = 10;
const pooledTokenCount = 60;
/** Each token has a pool with each of this many tokens that follow it. */
const nextTokenCount = 10;
const statesPerPool = 120;
/** The number of the first token with pools. A third of the tokens from this number on have prices. */
const firstToken = 1_000;

/** The tokens with pools. Each has 20 pools in each exchange. */
export const pooledTokensOf = ({ tokenOf }: Pick<StoryFacts, "tokenOf">): readonly Address[] =>
  Array.from({ length: pooledTokenCount }, (_, index) => tokenOf(firstToken + index));

interface Pool {
  readonly pool: Address;
  readonly factory: Address;
  readonly tokens: readonly [Address, Address];
}

function poolsOf(tokens: readonly Address[]): Pool[] {
  const pairs = tokens.flatMap((token, index) =>
    Array.from({ length: nextTokenCount }, (_, step) => tokens[(index + step + 1) % tokens.length] ?? token).map(
      (other): readonly [Address, Address] => (token < other ? [token, other] : [other, token]),
    ),
  );
  return exchanges.flatMap(({ factory }, exchange) =>
    pairs.map((pair, index) => ({ pool: hexOf(poolKind, exchange * pairs.length + index, 5), factory, tokens: pair })),
  );
}

/** Writes pools of two exchanges with their states over the whole chain, and the exchanges' daily totals. */
export async function writePools(database: Database, chainId: number, facts: StoryFacts): Promise<void> {
  const pools = poolsOf(pooledTokensOf(facts));
  await database.query(
    `WITH pool AS MATERIALIZED (
         SELECT * FROM unnest($2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[]) WITH ORDINALITY AS p(pool, factory, token0, token1, position)),
       announced AS (
         INSERT INTO pools (chain_id, pool, announcement, factory, token0, token1, family, block_number, transaction_index)
         SELECT $1, pool, 0, factory, token0, token1, 0, 0, 0 FROM pool),
       standards AS (INSERT INTO token_standards (chain_id, address, standard, block_number) SELECT $1, pool, 1, 0 FROM pool),
       metadata AS (
         INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block)
         SELECT $1, pool, 0, 'Bench Pool', 'LP', 18, 0 FROM pool)
     INSERT INTO pool_states (chain_id, pool, block_number, factory, reserve0, reserve1, supply, swaps, actions, amount0_in, amount0_out, amount1_in,
       amount1_out)
     SELECT $1, pool, n * $6::int8 / $7::int8, factory, (1000 + (n * 7 + position) % 100) * 1e18, (2000 + (n * 11 + position) % 100) * 1e18, 1e21, n * 3, n * 3 + 1,
       n * (position % 5 + 1) * 1e17, n * (position % 3 + 1) * 1e17, n * (position % 4 + 1) * 1e17, n * (position % 7 + 1) * 1e17
     FROM pool CROSS JOIN generate_series(0, $7::int8 - 1) AS s(n)`,
    [
      chainId,
      pools.map(({ pool }) => bytes(pool)),
      pools.map(({ factory }) => bytes(factory)),
      pools.map(({ tokens }) => bytes(tokens[0])),
      pools.map(({ tokens }) => bytes(tokens[1])),
      facts.blockCount,
      statesPerPool,
    ],
  );
  await writeTotals(database, chainId, Math.floor(timeOfBlock(facts, facts.blockCount - 1) / secondsPerHour) - 1);
}

/** Writes the exchanges' totals at the end of each of the last 40 days and at the end of the last complete hour, as the roll-up job stores them. */
async function writeTotals(database: Database, chainId: number, lastHour: number): Promise<void> {
  await database.query(
    `INSERT INTO exchange_hours (chain_id, factory, hour, block_number, fingerprint, pools, week_pools, tokens, ranked_tokens, liquidity, volume, swaps,
       day_volume, day_swaps)
     SELECT $1, factory, hour, 1, 'bench', 600, 600, 60, 20, (hour * 7919 + position) % 99991 * 1234.56789, (hour * 104729 + position) % 99991 * 12.3456789,
       hour % 997, (hour * 1299709 + position) % 99991 * 11.1111, hour % 911
     FROM unnest($2::bytea[]) WITH ORDINALITY AS f(factory, position) CROSS JOIN (
       SELECT (day * 24 + 23)::int8 AS hour FROM generate_series($3::int4 / 24 - 40, $3::int4 / 24 - 1) AS d(day)
       UNION ALL SELECT $3::int8) h`,
    [chainId, exchanges.map(({ factory }) => bytes(factory)), lastHour],
  );
}
