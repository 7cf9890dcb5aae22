import { createHash } from "node:crypto";
import { measureProcess } from "./measured-process.ts";
import type { BenchServer } from "./server.ts";
import { describeSchema } from "./tables.ts";

/** A generated index that is stored between runs; its name contains a hash of its inputs. */
export interface CachedIndex {
  /** Benchmark and size; an older index with this prefix is dropped. */
  readonly name: string;
  /** All inputs that change its contents, including a version of the generating code. */
  readonly inputs: readonly unknown[];
  /** Printed while it is generated. */
  readonly label: string;
  /** Script that receives the argument with `databaseUrl`, the URL of the empty database that it fills. */
  readonly script: URL;
  readonly argument: object;
}

/** Opens the database of a generated index: an earlier run's if inputs and schema are the same, otherwise a new one. Returns its name. */
export async function openCachedIndex(
  server: BenchServer,
  { name: prefix, inputs, label, script, argument }: CachedIndex,
  print: (line: string) => void,
): Promise<string> {
  const draft = "bench_draft";
  await server.create(draft);
  const schema = await server.runOn(draft, describeSchema);
  const hash = createHash("sha256")
    .update(JSON.stringify([...inputs, schema]))
    .digest("hex")
    .slice(0, 12);
  const name = `${prefix}_${hash}`;
  const names = await server.names();
  if (names.includes(name)) {
    await server.drop(draft);
    return name;
  }
  // Indexes of an earlier schema cannot be used, and are large.
  for (const outdated of names.filter((other) => other.startsWith(`${prefix}_`))) await server.drop(outdated);
  print(`Generating ${label}; it is stored for later runs`);
  const started = performance.now();
  const { megabytes } = await measureProcess(script, { ...argument, databaseUrl: server.urlOf(draft) }, ["--max-old-space-size=10000"]);
  await server.rename(draft, name);
  print(`Generated in ${Math.round((performance.now() - started) / 1000)} s with ${megabytes} MB of memory`);
  return name;
}
