import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chainConfigSchema } from "../../../runtime/config/config.ts";
import { startTestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type ServerOptions, type ServerProcess, startServer } from "../../support/server-process.ts";
import { indexUntilHead } from "../../support/service.ts";

/** An index for a chain with one block after its genesis block. */
export interface IndexedBlock {
  /** A folder for configurations. */
  readonly folder: string;
  readonly testDatabase: TestDatabase;
  /** Starts `ashlar serve` with settings. */
  serve(settings: object, options?: ServerOptions): Promise<ServerProcess>;
  remove(): Promise<void>;
}

/** The indexed block's path. */
export const blockPath = "/v1/own/block_v2/1/";

/** Creates a chain, indexes its first two blocks, and stops its node. */
export async function indexBlock(): Promise<IndexedBlock> {
  const chain = await startTestChain();
  await chain.mine();
  const [folder, testDatabase] = await Promise.all([mkdtemp(join(tmpdir(), "ashlar-serve-")), createTestDatabase()]);
  const { stop } = await indexUntilHead(
    { ...chainConfigSchema.parse({ name: "own", id: 31337, rpc: chain.url }), id: 31337 },
    testDatabase.url,
  );
  await stop();
  await chain.stop();
  return {
    folder,
    testDatabase,
    async serve(settings, options) {
      const file = join(folder, "ashlar.yaml");
      await writeFile(file, JSON.stringify({ chains: [{ name: "own", id: 31337 }], ...settings }));
      return startServer(file, testDatabase.url, options);
    },
    async remove() {
      await testDatabase.drop();
      await rm(folder, { recursive: true });
    },
  };
}
