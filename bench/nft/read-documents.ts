import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { chainConfigSchema } from "../../runtime/config/config.ts";
import type { Database } from "../../runtime/database/database.ts";
import type { Address } from "../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../test/support/chain.ts";
import { startIndexer } from "../../test/support/indexer-process.ts";
import { multicallAddress, multicallCode } from "../../test/support/multicall.ts";
import { type Calibration, calibrateByQuery } from "../support/calibration.ts";
import { cpuSecondsOf } from "../support/cpu-time.ts";
import { hexOf } from "../support/random.ts";
import type { BenchServer } from "../support/server.ts";
import { compileAlmanac } from "./almanac.ts";

/** The time and CPU time until all documents of a collection were stored. */
export interface DocumentsRun {
  readonly documents: number;
  /** From the start of the process until the index reached the node's head. */
  readonly catchUpMilliseconds: number;
  /** From the time when the index reached the head until the last document was stored. */
  readonly milliseconds: number;
  /** CPU seconds of the node, the database and the indexer until the last document was stored; null if the system does not report them. */
  readonly cpu: Readonly<Record<"node" | "database" | "indexer", number | null>>;
  readonly load: number;
  readonly calibration: Calibration;
}

const mintsPerTransaction = 100;
const ownerCount = 500;
const ownerKind = 71;
const pollMilliseconds = 50;
const maxWaitMilliseconds = 600_000;

/** Starts a node with a collection of `documents` tokens whose contract generates the metadata. */
export async function startCollectionNode(documents: number, cacheFolder: string): Promise<TestChain & { readonly collection: Address }> {
  const chain = await startTestChain({ args: ["--prune-history", "10", "--cache-path", cacheFolder] });
  try {
    await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
    const artifact = compileAlmanac();
    const collection = await chain.deploy(artifact);
    for (let first = 0; first < documents; first += mintsPerTransaction) {
      const recipients = Array.from({ length: Math.min(mintsPerTransaction, documents - first) }, (_, index) =>
        hexOf(ownerKind, (first + index) % ownerCount, 5),
      );
      const [hash] = await chain.send({ ...encodeCall(artifact, collection, "print", [recipients]), gas: 15_000_000n });
      await chain.mine();
      const { status } = await chain.rpc<{ status: string }>("eth_getTransactionReceipt", [hash]);
      if (status !== "0x1") throw new Error(`Transaction ${hash}, which mints tokens from id ${first}, reverted`);
    }
    return { ...chain, collection: collection.toLowerCase() as Address };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

/**
 * Indexes the collection with `ashlar index` into an empty database and waits for its documents.
 * @throws {Error} if the documents are not stored in time, or if one of them is refused.
 */
export async function readDocuments(
  server: BenchServer,
  chain: Awaited<ReturnType<typeof startCollectionNode>>,
  documents: number,
  folder: string,
): Promise<DocumentsRun> {
  const id = Number(await chain.rpc("eth_chainId"));
  const head = await chain.head();
  const url = await server.create("documents");
  const config = { ...chainConfigSchema.parse({ name: "bench", id, rpc: chain.url, nativeAccounting: "none" }), id };
  return server.runOn("documents", async (database) => {
    const calibration = await calibrateByQuery(database);
    const before = cpuNow();
    const started = performance.now();
    const indexer = await startIndexer(join(folder), config, url);
    const waitFor = async (done: () => Promise<boolean>): Promise<number> => {
      for (;;) {
        if (await done()) return performance.now() - started;
        const isTimedOut = performance.now() - started > maxWaitMilliseconds;
        if (isTimedOut || indexer.child.exitCode !== null)
          throw new Error(`Failed to read the documents: ${indexer.output().slice(-1_000)}`);
        await wait(pollMilliseconds);
      }
    };
    try {
      const caughtUp = await waitFor(async () => (await indexedBlock(database, id)) >= head);
      const stored = await waitFor(async () => (await storedDocuments(database, id)) >= documents);
      const after = cpuNow();
      const [load = Number.NaN] = loadavg();
      return {
        documents,
        catchUpMilliseconds: caughtUp,
        milliseconds: stored - caughtUp,
        cpu: difference(before, after),
        load,
        calibration,
      };
    } finally {
      await indexer.stop();
    }
  });
}

/** Returns the lowest checkpoint. */
const indexedBlock = async (database: Database, chainId: number): Promise<number> => {
  const [row] = await database.query<{ block: number | null }>(
    "SELECT min(block_number) AS block FROM projection_checkpoints WHERE chain_id = $1",
    [chainId],
  );
  return row?.block ?? -1;
};

/** Returns the number of stored documents. @throws {Error} if one was refused. */
const storedDocuments = async (database: Database, chainId: number): Promise<number> => {
  const [row] = await database.query<{ stored: number; refused: number }>(
    "SELECT metadata_count AS stored, refused_count AS refused FROM nft_documents WHERE chain_id = $1",
    [chainId],
  );
  if ((row?.refused ?? 0) > 0) throw new Error(`${row?.refused} documents were refused.`);
  return row?.stored ?? 0;
};

const cpuNow = (): DocumentsRun["cpu"] => ({
  node: cpuSecondsOf("anvil"),
  database: cpuSecondsOf("postgres"),
  indexer: cpuSecondsOf("node"),
});

const difference = (before: DocumentsRun["cpu"], after: DocumentsRun["cpu"]): DocumentsRun["cpu"] => {
  const secondsOf = (name: keyof DocumentsRun["cpu"]): number | null => {
    const [from, to] = [before[name], after[name]];
    return from === null || to === null ? null : to - from;
  };
  return { node: secondsOf("node"), database: secondsOf("database"), indexer: secondsOf("indexer") };
};
