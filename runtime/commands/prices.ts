import { readFile, stat } from "node:fs/promises";
import { stdout } from "node:process";
import type { ChainConfig, Config } from "../config/config.ts";
import { configOfDatabase, databaseNameOfOnlyChain } from "../config/database-config.ts";
import { fileProblem } from "../config/file-problem.ts";
import type { Database } from "../database/database.ts";
import { discardPrices } from "../domains/prices/jobs/compute-prices/price-settings.ts";
import { importPrices } from "../domains/prices/jobs/import-prices/import-prices.ts";
import { parsePriceFile } from "../domains/prices/jobs/import-prices/parse-price-file.ts";
import { currencies } from "../parameters/currency.ts";
import { CommandError } from "./command-error.ts";
import { requireDatabase } from "./configured-database.ts";
import { openDatabase } from "./open-database.ts";
import { resolveOnlyEvmChain } from "./resolve-only-evm-chain.ts";

/** Max file size, because files are read into memory; enough for several million lines. */
const maxBytes = 128 * 1024 * 1024;
const whenComputed = "The process that indexes the chain recomputes them; if none is running, the next run of ashlar index will.";

/** `ashlar prices import FILE`: imports all prices in a file, or none. @throws {CommandError} @throws {PriceFileError} */
export async function importPriceFile(config: Config, file: string): Promise<void> {
  const prices = parsePriceFile(file, await readText(file), currencies);
  if (prices.length === 0) throw new CommandError(`${file} contains no prices; expected lines asset,time,price.`);
  await withChain(config, async (database, chain) => {
    if (!chain.prices.sources.includes("file"))
      throw new CommandError(`Prices of ${chain.name} are not computed from files; add file to its prices.sources in ashlar.yaml.`);
    await database.transaction((client) => importPrices(client, chain.id, prices));
    stdout.write(
      `Imported ${prices.length} prices of ${chain.name}; computed prices since the earliest one must be recomputed. ${whenComputed}\n`,
    );
  });
}

/** `ashlar prices rebuild`: discards a chain's prices, which are then recomputed. @throws {CommandError} */
export const rebuildPrices = (config: Config): Promise<void> =>
  withChain(config, async (database, chain) => {
    await database.transaction((client) => discardPrices(client, chain.id, null));
    stdout.write(`Discarded the computed prices of ${chain.name}. ${whenComputed}\n`);
  });

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > maxBytes) throw new CommandError(`${file} has ${size} bytes; the maximum is ${maxBytes}: import it in parts.`);
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`Cannot read ${file}: ${fileProblem(error)}; pass the path of a CSV file.`);
  }
}

async function withChain(config: Config, work: (database: Database, chain: ChainConfig) => Promise<void>): Promise<void> {
  requireDatabase(config);
  const database = await openDatabase(configOfDatabase(config, databaseNameOfOnlyChain(config)));
  try {
    await work(database.indexing, await resolveOnlyEvmChain(config, database.indexing));
  } finally {
    await database.close();
  }
}
