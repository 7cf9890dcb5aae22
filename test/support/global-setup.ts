import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { createDatabase } from "../../runtime/database/database.ts";
import { startEmbedded } from "../../runtime/database/embedded.ts";
import { migrate } from "../../runtime/database/migrate.ts";
import { migrations } from "../../runtime/migrations.ts";
import { databaseUrl, templateName } from "./database-url.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Of the run's server; its database is where others are created from. */
    readonly serverUrl: string;
  }
}

/** One server for the whole run, with a migrated database to copy; gone when the run ends. It may forget all in a power failure, so it is quick. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "ashlar-test-"));
  const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", shared_buffers: "128MB" };
  const server = await startEmbedded({ dataDirectory: directory, settings });
  const teardown = async (): Promise<void> => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await prepareTemplate(server.url);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide("serverUrl", server.url);
  return teardown;
}

async function prepareTemplate(serverUrl: string): Promise<void> {
  const options = { poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" };
  const server = createDatabase({ url: serverUrl, ...options });
  await server.query(`CREATE DATABASE ${templateName}`);
  await server.close();
  const template = createDatabase({ url: databaseUrl(serverUrl, templateName), ...options });
  await migrate(template, migrations);
  await template.close();
}
