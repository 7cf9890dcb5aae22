import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import type { Demo } from "../../demo/types.ts";
import { createDatabase } from "../../runtime/database/database.ts";
import { hasPgbouncer, startPooler } from "./database/pgbouncer.ts";
import { openTestDatabase } from "./open-database.ts";
import { finishMetadataReads, indexBitcoin, indexUntilHead, serveStory } from "./service.ts";
import { startStory } from "./story.ts";

/** The demo's full story, indexed and served once for all contract tests. Its chains mine no more blocks. */
export interface SharedApp {
  readonly url: string;
  /** The URL of a server that reads the database through pgbouncer, which accepts the same key; null if pgbouncer is not installed. */
  readonly pooledUrl: string | null;
  readonly key: string;
  readonly storyValues: Readonly<Record<string, string>>;
  readonly rpcUrl: string;
  readonly bitcoinRpcUrl: string;
  readonly databaseUrl: string;
  /** Responds with the number of connections to the local address that hostile metadata points to. */
  readonly trapUrl: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    /** Responds with the shared app as JSON, or 202 while it is being prepared. */
    readonly appUrl: string;
  }
}

/** The time limit of a document: short, because one host in the story never finishes its response. */
const fetchMilliseconds = 3_000;

const portOf = async (server: Server): Promise<number> => {
  server.listen({ host: "127.0.0.1", port: 0 });
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

/** Builds, indexes and serves the story once per run. This takes a minute; other tiers' tests run in the meantime. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The database server's setup runs first and provides its URL.
  const preparing = prepareApp(project.getProvidedContext().serverUrl);
  let appResponse = { status: 202, body: "" };
  preparing.then(
    ({ app }) => {
      appResponse = { status: 200, body: JSON.stringify(app) };
    },
    (error: unknown) => {
      appResponse = { status: 500, body: error instanceof Error ? String(error.stack) : String(error) };
    },
  );
  const server = createServer((_request, response) => void response.writeHead(appResponse.status).end(appResponse.body));
  project.provide("appUrl", `http://127.0.0.1:${await portOf(server)}`);
  return async () => {
    server.close();
    // If the run ends early, the app is stopped once it is ready. A failure to prepare it is reported by the tests.
    const app = await preparing.catch(() => null);
    await app?.stop();
  };
}

async function prepareApp(serverUrl: string): Promise<{ readonly app: SharedApp; stop(): Promise<void> }> {
  const [demo, database] = await Promise.all([startStory(), openTestDatabase(serverUrl)]);
  const chainWithShortTimeout = { ...demo.chain, nfts: { ...demo.chain.nfts, fetchMilliseconds } };
  await indexBitcoin(demo.bitcoin, database.database);
  const indexing = await indexUntilHead(chainWithShortTimeout, database.url);
  await finishMetadataReads(database.database);
  const serving = await serveStory(demo, database.database, [demo.chain, demo.bitcoin.chain]);
  const pooled = hasPgbouncer() ? await servePooled(demo, database.url) : null;
  const trap = createServer((_request, response) => void response.end(String(demo.forbiddenConnectionCount())));
  const app: SharedApp = {
    url: serving.url,
    pooledUrl: pooled?.url ?? null,
    key: serving.key,
    storyValues: demo.story.values,
    rpcUrl: demo.rpcUrl,
    bitcoinRpcUrl: demo.bitcoin.rpcUrl,
    databaseUrl: database.url,
    trapUrl: `http://127.0.0.1:${await portOf(trap)}`,
  };
  return {
    app,
    stop: async () => {
      trap.close();
      await serving.stop();
      await pooled?.stop();
      await indexing.stop();
      await database.drop();
      await demo.stop();
    },
  };
}

/** Serves the story through pgbouncer. */
async function servePooled(demo: Demo, databaseUrl: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const pooler = await startPooler(databaseUrl);
  const database = createDatabase({
    url: pooler.url,
    poolSize: 4,
    statementTimeoutMilliseconds: 10_000,
    applicationName: "ashlar-test-pooled",
  });
  const serving = await serveStory(demo, database, [demo.chain, demo.bitcoin.chain]);
  return {
    url: serving.url,
    stop: async () => {
      await serving.stop();
      await database.close();
      await pooler.stop();
    },
  };
}
