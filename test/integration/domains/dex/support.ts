import type { Database, DatabaseClient } from "../../../../runtime/database/database.ts";
import { createRollUpJobs } from "../../../../runtime/domains/dex/jobs/roll-up/jobs.ts";
import type { IndexedBlock } from "../../../../runtime/indexer/types.ts";
import type { JobContext } from "../../../../runtime/jobs/job.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";

export const secondsPerDay = 86_400;
export const secondsPerHour = 3_600;
const chainId = 31337;
const buffer = (hex: Hex): Buffer => Buffer.from(hex.slice(2), "hex");

/** The decimal places of exact values, which are stored as integers. */
const decimalPlaces = 60;

/** An asset with its decimals and, by hour, its price in cents per whole unit. */
export interface PricedAsset {
  readonly asset: Hex;
  readonly decimals: number;
  readonly centsAt: (hour: number) => bigint | null;
}

/** The exact value of an amount in smallest units, in units of 10^-60 dollars. */
export const exactValue = (amount: bigint, priced: PricedAsset | undefined, hour: number): bigint | null => {
  const cents = priced?.centsAt(hour) ?? null;
  return cents === null || priced === undefined ? null : amount * cents * 10n ** BigInt(decimalPlaces - 2 - priced.decimals);
};

/** Converts an exact value to the nearest number of dollars. */
export const toDollars = (exact: bigint | null): number | null => (exact === null ? null : Number(`${exact}e-${decimalPlaces}`));

const decimalText = (cents: bigint, { decimals }: PricedAsset): string => {
  const power = 2 + decimals;
  const text = String(cents).padStart(power + 1, "0");
  return `${text.slice(0, -power)}.${text.slice(-power)}`;
};

/** Writes the price job's rows: one per hour with a change, one per day, and each asset's first priced hour. `finishHours` marks hours as computed. */
export const writePrices = async (
  database: Database,
  all: readonly PricedAsset[],
  first: number,
  last: number,
  closingBlock: (hour: number) => number,
) => {
  for (const priced of all) {
    let previous: bigint | null | undefined;
    for (let hour = first; hour <= last; hour += 1) {
      const cents = priced.centsAt(hour);
      const close = cents === null ? null : decimalText(cents, priced);
      const row = [chainId, buffer(priced.asset), hour, close, closingBlock(hour)];
      if (cents !== previous) {
        await database.query(
          `INSERT INTO price_hours (chain_id, asset, hour, open, high, low, close, block_number) VALUES ($1, $2, $3, $4, $4, $4, $4, $5)
           ON CONFLICT (chain_id, asset, hour) DO UPDATE SET close = excluded.close, block_number = excluded.block_number`,
          row,
        );
      }
      previous = cents;
      if (hour % 24 === 23 || hour === last) {
        await database.query(
          `INSERT INTO price_days (chain_id, asset, day, open, high, low, close, block_number) VALUES ($1, $2, $3::int4 / 24, $4, $4, $4, $4, $5)
           ON CONFLICT (chain_id, asset, day) DO UPDATE SET close = excluded.close, block_number = excluded.block_number`,
          row,
        );
      }
    }
    await database.query("INSERT INTO priced_assets (chain_id, asset, hour, block_number) VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING", [
      chainId,
      buffer(priced.asset),
      first,
    ]);
  }
};

/** Marks hourly prices as computed. */
export const finishHours = async (
  database: Database,
  first: number,
  last: number,
  closingBlock: (hour: number) => number,
): Promise<void> => {
  for (let hour = first; hour <= last; hour += 1) {
    await database.query("INSERT INTO price_progress (chain_id, hour, block_number) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", [
      chainId,
      hour,
      closingBlock(hour),
    ]);
  }
};

/** Writes the token metadata job's rows. */
export const writeMetadata = (database: Database, address: Address, symbol: string, decimals: number) =>
  database.query(
    "INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block) VALUES (31337, $1, 1, $2, $2, $3, 1)",
    [buffer(address), symbol, decimals],
  );

/** Runs the work in a transaction as of the last stored block, for tests that run no indexer. */
const runExclusiveWithoutIndexer =
  (database: Database): JobContext["runExclusiveKeepingCache"] =>
  async <T>(work: (client: DatabaseClient, indexed: IndexedBlock) => Promise<T>) => {
    const [head] = await database.query<IndexedBlock>("SELECT number, hash FROM blocks ORDER BY number DESC LIMIT 1");
    return head === undefined ? null : database.transaction((client) => work(client, head));
  };

const unexpectedCall = (): never => {
  throw new Error("Unexpected request to the node");
};

/** Rolls up all hours that are due and returns their number. */
export const rollUp = async (
  database: Database,
  factories: readonly Address[],
  options: { readonly activePoolDays?: number; readonly runExclusiveKeepingCache?: JobContext["runExclusiveKeepingCache"] } = {},
): Promise<number> => {
  const runExclusiveKeepingCache = options.runExclusiveKeepingCache ?? runExclusiveWithoutIndexer(database);
  const jobs = createRollUpJobs({
    exchanges: factories.map((factory) => ({ name: factory, family: "xy=k", factory, routers: [] })),
    activePoolDays: options.activePoolDays ?? 7,
  });
  const context: JobContext = {
    chainId,
    source: {
      balances: unexpectedCall,
      runCalls: unexpectedCall,
      hashesOf: unexpectedCall,
      capabilities: { hasArchiveState: true } as never,
    },
    database,
    runExclusive: unexpectedCall,
    runExclusiveKeepingCache,
    multicall: unexpectedCall,
    clock: () => new Date(),
    logger: { info: () => undefined },
  };
  let rounds = 0;
  for (const job of jobs) while (await job.run(context)) rounds += 1;
  return rounds;
};
