import type { TestProject } from "vitest/node";
import { openTestDatabase } from "./open-database.ts";
import { indexUntilHead, serveStory } from "./service.ts";
import { startStory } from "./story.ts";

/** What the tests of one run share: the whole story, indexed and served, on a chain that stands still. */
export interface SharedApp {
  readonly url: string;
  readonly key: string;
  readonly cast: Readonly<Record<string, string>>;
  readonly rpcUrl: string;
  readonly databaseUrl: string;
}

declare module "vitest" {
  export interface ProvidedContext {
    readonly app: SharedApp;
  }
}

/** Tells, indexes and serves the story once for the whole run. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // The set-up of the database's server runs first and has provided its address.
  const serverUrl = project.getProvidedContext().serverUrl;
  const [demo, database] = await Promise.all([startStory(), openTestDatabase(serverUrl)]);
  const indexing = await indexUntilHead(demo.chain, database.url);
  const serving = await serveStory(demo, database.database);
  project.provide("app", { url: serving.url, key: serving.key, cast: demo.story.cast, rpcUrl: demo.rpcUrl, databaseUrl: database.url });
  return async () => {
    await serving.stop();
    await indexing.stop();
    await database.drop();
    await demo.stop();
  };
}
