import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ProtocolResult, tryProtocol } from "../../../runtime/commands/community/try-protocol.ts";
import { type OpenReader, openReader } from "../../../runtime/commands/open-reader.ts";
import { chainConfigSchema, configSchema } from "../../../runtime/config/config.ts";
import type { AddedProtocol } from "../../../runtime/declarations/added-protocol.ts";
import { loadAddedProtocols } from "../../../runtime/protocols.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createSavingsDirectory, makeDeposits, type SavingsDirectory } from "../domains/community/savings-directory.ts";
import { startCommunityIndex } from "../domains/community/support.ts";
import { type Market, startMarket } from "../domains/community/vault-market.ts";

/** An index with an added protocol: the scaffold's `savings`, with 12 deposits into two vaults on the chain `test`. */
export interface IndexedSavings {
  readonly chain: TestChain;
  readonly market: Market;
  readonly directory: SavingsDirectory;
  readonly testDatabase: TestDatabase;
  readonly reader: OpenReader;
  /** The protocol that its files currently declare. */
  addedProtocol(): AddedProtocol;
  /** Runs the protocol's operations, as `ashlar community test` does. */
  tryDirectory(serverSettings?: object, opened?: OpenReader): Promise<ProtocolResult>;
  /** A text's position in one of the protocol's files, formatted as in diagnostics. */
  positionOf(file: string, text: string): string;
  /** Waits until the index is at the chain's head. */
  sync(): Promise<void>;
  end(): Promise<void>;
}

/** Starts a chain with two vaults, makes 12 deposits and indexes them. */
export const indexSavings = async (): Promise<IndexedSavings> => {
  const chain = await startTestChain();
  const market = await startMarket(chain);
  const directory = createSavingsDirectory(market.vaults);
  const testDatabase = await createTestDatabase();
  const reader = await openReader(
    configSchema.parse({ databaseUrl: testDatabase.url }),
    { url: testDatabase.url },
    testDatabase.database,
    8,
  );
  const index = await startCommunityIndex(chain, testDatabase.database, {
    protocols: loadAddedProtocols(directory.path, {}).map(({ protocol }) => protocol),
    readerRole: reader.readerRole,
  });
  await makeDeposits(chain, market);
  await index.sync();
  const addedProtocol = (): AddedProtocol => {
    const [added] = loadAddedProtocols(directory.path, {});
    if (added === undefined) throw new Error("The directory has no protocol.");
    return added;
  };
  return {
    chain,
    market,
    directory,
    testDatabase,
    reader,
    addedProtocol,
    tryDirectory: (serverSettings = {}, opened = reader) => {
      const settings = { ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: chain.url }), id: 31337 };
      return tryProtocol(addedProtocol(), {
        config: configSchema.parse(serverSettings),
        chain: settings,
        database: testDatabase.database,
        reader: opened,
      });
    },
    positionOf: (file, text) => {
      const path = join(directory.path, "savings", file);
      const before = readFileSync(path, "utf8").split(text)[0] ?? "";
      return `${path}:${before.split("\n").length}:${(before.split("\n").at(-1) ?? "").length + 1}`;
    },
    sync: index.sync,
    end: async () => {
      await index.end();
      await reader.reader.close();
      await testDatabase.drop();
      await chain.stop();
      directory.remove();
    },
  };
};
