import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { createDatabase } from "../../runtime/database/database.ts";
import { startEmbedded } from "../../runtime/database/embedded.ts";
import { migrate } from "../../runtime/database/migrate.ts";
import { migrations } from "../../runtime/migrations.ts";
import { compileProgram } from "./compile-program.ts";
import { databaseUrl, templateName } from "./database-url.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The URL of the run's PostgreSQL server, on which tests create databases. */
    readonly serverUrl: string;
  }
}

/** Starts one PostgreSQL server for the whole run, with a migrated template database, and compiles the program. Durability is off: nothing outlives the run. */
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
  const program = await compileProgram();
  project.provide("program", program.entry);
  return async () => {
    await program.remove();
    await teardown();
  };
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
