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
    /** The URL for the run's PostgreSQL server, on which tests create databases. */
    readonly serverUrl: string;
  }
}

/** Resources that a run's projects share. */
interface Resources {
  readonly serverUrl: string;
  readonly program: string;
  remove(): Promise<void>;
}

declare global {
  /** Each project of a run loads this module separately, so they share only the global object. */
  var ashlarTestResources: { readonly started: Promise<Resources>; users: number } | undefined;
}

/** Provides the server and the compiled program to a project. A run's first project starts them, and the last one removes them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  globalThis.ashlarTestResources ??= { started: startResources(), users: 0 };
  const resources = globalThis.ashlarTestResources;
  resources.users += 1;
  const { serverUrl, program, remove } = await resources.started;
  project.provide("serverUrl", serverUrl);
  project.provide("program", program);
  return async () => {
    resources.users -= 1;
    if (resources.users > 0) return;
    globalThis.ashlarTestResources = undefined;
    await remove();
  };
}

async function startResources(): Promise<Resources> {
  const [starting, compiling] = [startServer(), compileProgram()];
  const remove = async (): Promise<void> => {
    for (const resource of await Promise.allSettled([starting, compiling])) {
      if (resource.status === "fulfilled") await resource.value.remove();
    }
  };
  try {
    const [server, program] = await Promise.all([starting, compiling]);
    return { serverUrl: server.url, program: program.entry, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Starts a PostgreSQL server with a migrated template database. Durability is off: nothing outlives the run. */
async function startServer(): Promise<{ readonly url: string; remove(): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "ashlar-test-"));
  const settings = {
    fsync: "off",
    synchronous_commit: "off",
    full_page_writes: "off",
    shared_buffers: "128MB",
    // Tests compare response times with commit times.
    track_commit_timestamp: "on",
  };
  const server = await startEmbedded({ dataDirectory: directory, settings });
  const remove = async (): Promise<void> => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await prepareTemplate(server.url);
  } catch (error) {
    await remove();
    throw error;
  }
  return { url: server.url, remove };
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
