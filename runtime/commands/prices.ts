import { readFile, stat } from "node:fs/promises";
import { stdout } from "node:process";
import type { ChainConfig, Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { discardPrices } from "../domains/prices/jobs/compute-prices/price-settings.ts";
import { importPrices } from "../domains/prices/jobs/import-prices/import-prices.ts";
import { parsePrices } from "../domains/prices/jobs/import-prices/parse-price-file.ts";
import { currencies } from "../parameters/currency.ts";
import { CommandError } from "./command-error.ts";
import { oneChain } from "./one-chain.ts";
import { openDatabase } from "./open-database.ts";
import { requireDatabase } from "./used-database.ts";

/** A file is read whole: some million lines. */
const maxBytes = 128 * 1024 * 1024;
const whoMakesThem = "The process that indexes the chain makes them, or ashlar index the next time that it runs.";

/** `ashlar prices import FILE`: all of the file, or nothing. @throws {CommandError} @throws {PriceFileError} */
export async function importPriceFile(config: Config, file: string): Promise<void> {
  const prices = parsePrices(file, await readText(file), currencies);
  if (prices.length === 0) throw new CommandError(`${file} has no prices.`);
  await withChain(config, async (database, chain) => {
    if (!chain.prices.sources.includes("file"))
      throw new CommandError(`The prices of ${chain.name} are not made of a file; add file to its prices.sources in ashlar.yaml.`);
    await database.transaction((client) => importPrices(client, chain.id, prices));
    stdout.write(
      `${prices.length} prices of ${chain.name} were imported; all prices from the first of them on are computed again. ${whoMakesThem}\n`,
    );
  });
}

/** `ashlar prices rebuild`: has all prices of a chain computed again, as after a source was added. @throws {CommandError} */
export const rebuildPrices = (config: Config): Promise<void> =>
  withChain(config, async (database, chain) => {
    await database.transaction((client) => discardPrices(client, chain.id, null));
    stdout.write(`The prices of ${chain.name} are computed again. ${whoMakesThem}\n`);
  });

async function readText(file: string): Promise<string> {
  try {
    const { size } = await stat(file);
    if (size > maxBytes) throw new CommandError(`${file} has ${size} bytes, at most ${maxBytes} are accepted; import it in parts.`);
    return await readFile(file, "utf8");
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${file} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown reason"}).`);
  }
}

async function withChain(config: Config, work: (database: Database, chain: ChainConfig) => Promise<void>): Promise<void> {
  requireDatabase(config);
  const database = await openDatabase(config);
  try {
    await work(database.indexing, await oneChain(config, database.indexing));
  } finally {
    await database.close();
  }
}
