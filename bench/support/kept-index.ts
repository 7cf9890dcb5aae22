import { createHash } from "node:crypto";
import { measureProcess } from "./measured-process.ts";
import type { BenchServer } from "./server.ts";
import { describeSchema } from "./tables.ts";

/** A generated index as it is kept: whatever it is made from stands in its name. */
export interface KeptIndex {
  /** The benchmark, and how large the index is: an older one of the same name is dropped. */
  readonly name: string;
  /** Whatever changes what is in it; a version for the code that makes it. */
  readonly madeFrom: readonly unknown[];
  /** What is said while it is made. */
  readonly label: string;
  /** Fills the empty database of its `databaseUrl`; it has the rest of the argument too. */
  readonly script: URL;
  readonly argument: object;
}

/** The database of a generated index, by name: the one that an earlier run left where it would be made the same under the same schema, else a new one. */
export async function openKeptIndex(
  server: BenchServer,
  { name: prefix, madeFrom, label, script, argument }: KeptIndex,
  say: (line: string) => void,
): Promise<string> {
  const draft = "bench_draft";
  await server.create(draft);
  const schema = await server.on(draft, describeSchema);
  const hash = createHash("sha256")
    .update(JSON.stringify([...madeFrom, schema]))
    .digest("hex")
    .slice(0, 12);
  const name = `${prefix}_${hash}`;
  const names = await server.names();
  if (names.includes(name)) {
    await server.drop(draft);
    return name;
  }
  // What was made for an earlier schema is of no more use, and large.
  for (const outdated of names.filter((other) => other.startsWith(`${prefix}_`))) await server.drop(outdated);
  say(`making ${label}; it is kept`);
  const started = performance.now();
  const { megabytes } = await measureProcess(script, { ...argument, databaseUrl: server.urlOf(draft) }, ["--max-old-space-size=10000"]);
  await server.rename(draft, name);
  say(`made in ${Math.round((performance.now() - started) / 1000)} s, with ${megabytes} MB of memory`);
  return name;
}
