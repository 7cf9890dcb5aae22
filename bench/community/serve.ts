import { type BenchResult, median } from "../result.ts";
import { startBenchApiServer } from "../support/bench-api-server.ts";
import { openCachedIndex } from "../support/cached-index.ts";
import { calibrateByQuery } from "../support/calibration.ts";
import { measureEndpoints } from "../support/measure-endpoints.ts";
import { projections } from "../support/projections.ts";
import { resultOfServing, variantTable } from "../support/serve-figures.ts";
import type { BenchServer } from "../support/server.ts";
import { countRows, megabytesOf } from "../support/tables.ts";
import { configOf } from "./chain-config.ts";
import { endpointCases } from "./endpoint-cases.ts";
import { plannedProtocols } from "./plans.ts";
import { type StorySize, storyVersion } from "./story.ts";

export interface ServeOptions extends Omit<StorySize, "until"> {
  /** Requests per endpoint case. */
  readonly times: number;
  /** The ids of protocols; all that have SQL by default. */
  readonly protocols: readonly string[];
  /** Only endpoint cases whose name contains this text are measured. */
  readonly nameFilter: string;
}

const print = (line: string): unknown => process.stdout.write(`${line}\n`);

/** Fills an index with protocol events or reuses an earlier run's index, and measures the live operations. */
export async function serveProtocols(server: BenchServer, { times, nameFilter, ...size }: ServeOptions): Promise<BenchResult> {
  const planned = plannedProtocols(size.protocols);
  const databaseName = await openIndex(server, { ...size, declared: true });
  return server.runOn(databaseName, async (database) => {
    const serving = await startBenchApiServer(database, configOf(planned));
    try {
      const calibration = await calibrateByQuery(database);
      const endpoints = await measureEndpoints(database, serving, endpointCases(planned, nameFilter), times);
      const result = resultOfServing({
        subject: "operations by protocol, complete responses over HTTP",
        endpoints,
        jobs: null,
        calibration,
        rows: await countRows(database),
        megabytes: await megabytesOf(database),
      });
      const medians = endpoints.map(({ endpoint: { row, name }, variants }) => {
        const milliseconds = median(variants.flatMap((variant) => variant.milliseconds));
        return [`protocol ${row} ${name}`, milliseconds / calibration.milliseconds] as const;
      });
      const ratios = medians.map(([operation, ratio]) => ({
        "response time relative to a one-row query (max 167)": operation,
        ratio: Math.round(ratio),
      }));
      return { ...result, otherTables: [ratios, variantTable(endpoints)] };
    } finally {
      await serving.close();
    }
  });
}

/** Opens a generated index with or without the protocols' tables; returns its database name. */
export function openIndex(
  server: BenchServer,
  { declared, ...size }: Omit<StorySize, "until"> & Pick<ServeOptions, "protocols"> & { readonly declared: boolean },
): Promise<string> {
  // Operations and descriptions do not change the index.
  const declarations = plannedProtocols(size.protocols).map(({ protocol: { id, tables, reads }, plan }) => [
    id,
    tables,
    reads,
    plan.marketCount,
  ]);
  return openCachedIndex(
    server,
    {
      name: `community_${declared ? "served" : "ledger"}_${size.events}`,
      inputs: ["community", storyVersion, size, declarations, projections.map(({ id, version }) => [id, version])],
      label: `an index with ${size.events} protocol events`,
      script: new URL("./fill-process.ts", import.meta.url),
      argument: { ...size, declared, until: Math.floor(Date.now() / 1000) },
    },
    print,
  );
}
