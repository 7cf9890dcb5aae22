import type { Database } from "../../runtime/database/database.ts";
import type { BenchApiServer } from "./bench-api-server.ts";
import { startCpuClock } from "./cpu-time.ts";
import type { EndpointCase, Variant } from "./endpoint-case.ts";

/** Response times of one kind of request. */
export interface VariantTimes {
  readonly name: string;
  /** Milliseconds, ascending. */
  readonly milliseconds: readonly number[];
  readonly bytes: number;
  /** CPU milliseconds per response, of database and this process together; null if the system does not report them. */
  readonly cpu: number | null;
}

export interface EndpointTimes {
  readonly endpoint: EndpointCase;
  readonly variants: readonly VariantTimes[];
}

/** The minimum number of items in a response, because timing a request that finds nothing is meaningless. */
const minItems = 1;
/** The minimum number of unmeasured requests, which warm up caches, connections and the JIT compiler. */
const minWarmUpRequests = 10;

/** Requests every variant of every endpoint repeatedly; each time includes the complete response. @throws {Error} if a response has no items. */
export async function measureEndpoints(
  database: Database,
  serving: BenchApiServer,
  cases: readonly EndpointCase[],
  times: number,
): Promise<EndpointTimes[]> {
  const measured: EndpointTimes[] = [];
  for (const endpoint of cases) {
    const variants: VariantTimes[] = [];
    for (const variant of endpoint.variants) variants.push(await measureVariant(database, serving, endpoint, variant, times));
    measured.push({ endpoint, variants });
  }
  return measured;
}

async function measureVariant(
  database: Database,
  serving: BenchApiServer,
  { row }: EndpointCase,
  { name, paths }: Variant,
  times: number,
): Promise<VariantTimes> {
  for (let iteration = 0; iteration < Math.max(minWarmUpRequests, paths.length); iteration += 1) {
    const path = paths[iteration % paths.length] ?? "";
    if (itemsIn(path, await serving.get(path)) < minItems) throw new Error(`Row ${row}, ${name}: ${path} has no items.`);
  }
  const milliseconds: number[] = [];
  let bytes = 0;
  const cpuTime = await startCpuClock(database);
  for (let iteration = 0; iteration < times; iteration += 1) {
    const started = performance.now();
    const text = await serving.get(paths[iteration % paths.length] ?? "");
    milliseconds.push(performance.now() - started);
    bytes = Math.max(bytes, text.length);
  }
  const cpu = cpuTime();
  return {
    name,
    milliseconds: milliseconds.sort((left, right) => left - right),
    bytes,
    cpu: cpu === null ? null : cpu / times,
  };
}

/** Items of a response; for CSV the lines below the header. */
const itemsIn = (path: string, text: string): number => {
  if (path.includes("format=csv")) return text.trim().split("\n").length - 1;
  const { data } = JSON.parse(text) as { readonly data?: { readonly items?: readonly unknown[] } };
  return data?.items?.length ?? 0;
};
