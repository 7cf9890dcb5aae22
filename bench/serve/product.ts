import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compileScripts } from "../support/compile-script.ts";
import { raisedLimits } from "../support/raised-limits.ts";
import { type ServerProcess, startProcess } from "./processes.ts";

/** Files of the package that the compiler does not copy (see .ci/build.js). */
const copiedFiles = ["package.json", "generated/validators.gen.js", "generated/openapi.json", "generated/reference.md"];

/** The compiled programs of a run. */
export interface Programs {
  readonly product: URL;
  readonly bare: URL;
  readonly express: URL;
  /** The module of the bare server's routes. */
  readonly routes: URL;
  readonly load: URL;
}

/** Compiles the product like its package, and the processes of the benchmark. */
export function compilePrograms(folder: string): Programs {
  const scripts = [
    new URL("../../runtime/cli.ts", import.meta.url),
    // A worker's module, which the primary starts by its path.
    new URL("../../runtime/commands/service/worker.ts", import.meta.url),
    new URL("./bare/main.ts", import.meta.url),
    new URL("./express/main.ts", import.meta.url),
    new URL("./bare/routes.ts", import.meta.url),
    new URL("./load/main.ts", import.meta.url),
  ];
  const [product, , bare, express, routes, load] = compileScripts(scripts, folder);
  if (product === undefined || bare === undefined || express === undefined || routes === undefined || load === undefined)
    throw new Error("Expected a compiled file for each script.");
  for (const path of copiedFiles) copyFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), join(folder, path));
  return { product, bare, express, routes, load };
}

/** A chain in a separate database. */
export interface ProductShard {
  readonly chain: Readonly<Record<string, unknown>>;
  readonly databaseUrl: string;
}

/** Options of the product's process. */
export interface ProductOptions {
  /** Options of Node.js, such as those for a profile. */
  readonly nodeOptions?: readonly string[];
  /** The number of workers; one process without workers by default. */
  readonly workers?: number;
  /** Whether responses are cached, which is the default of `ashlar serve` but not of the benchmark. */
  readonly cachesResponses?: boolean;
  /** Replicas of the database; none by default. */
  readonly readUrls?: readonly string[];
  /** Chains in separate databases, in addition to eth-mainnet in the control database; none by default. */
  readonly shards?: readonly ProductShard[];
  /** The metrics port; metrics are off by default. */
  readonly metricsPort?: number | undefined;
}

/** The deadline of requests and statements: on a busy machine, requests for long responses on 128 connections would exceed the default. */
const deadlineMilliseconds = 120_000;

/** Starts `ashlar serve` with default settings, except for cached responses, raised limits and the deadline. */
export function startProduct(
  { product }: Programs,
  databaseUrl: string,
  folder: string,
  { nodeOptions = [], workers = 1, cachesResponses = false, readUrls = [], shards = [], metricsPort }: ProductOptions = {},
): Promise<ServerProcess> {
  const file = join(folder, "ashlar.yaml");
  const named = shards.map(({ chain, databaseUrl: url }, index) => ({ name: `shard${index + 1}`, chain, url }));
  writeFileSync(
    file,
    JSON.stringify({
      chains: [{ name: "eth-mainnet", id: 1 }, ...named.map(({ name, chain }) => ({ ...chain, database: name }))],
      databases: Object.fromEntries(named.map(({ name, url }) => [name, url])),
      publicUrl: "http://bench.invalid",
      readUrls,
      ...(metricsPort === undefined ? {} : { metrics: { port: metricsPort } }),
      cache: cachesResponses ? {} : { megabytes: 0 },
      limits: {
        requestsPerSecond: 1_000_000,
        ...raisedLimits,
        requestMilliseconds: deadlineMilliseconds,
        statementMilliseconds: deadlineMilliseconds,
      },
    }),
  );
  const env = { DATABASE_URL: databaseUrl, HOST: "127.0.0.1", PORT: "0" };
  const args = [...nodeOptions, fileURLToPath(product), "serve", "--config", file, "--workers", String(workers)];
  return startProcess(args, env, join(folder, "product.log"));
}
