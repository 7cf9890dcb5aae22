import { createHash } from "node:crypto";
import { measureProcess } from "../support/measured-process.ts";
import type { BenchServer } from "../support/server.ts";
import { describeSchema } from "../support/tables.ts";
import type { StorySize } from "./story.ts";

/** Raised when the same size gives other blocks. */
const storyVersion = 2;
const prefix = "queries_";

/** The database of a generated index, by name: the one that an earlier run left where seed, size and schema are the same, else a new one. */
export async function openKeptIndex(server: BenchServer, size: StorySize, say: (line: string) => void): Promise<string> {
  const draft = `${prefix}draft`;
  await server.create(draft);
  const schema = await server.on(draft, describeSchema);
  const hash = createHash("sha256")
    .update(JSON.stringify([storyVersion, size, schema]))
    .digest("hex")
    .slice(0, 12);
  const sizeName = `${prefix}${size.transfers}_`;
  const name = `${sizeName}${hash}`;
  const names = await server.names();
  if (names.includes(name)) {
    await server.drop(draft);
    return name;
  }
  // What was made for an earlier schema is of no more use, and large.
  for (const outdated of names.filter((other) => other.startsWith(sizeName))) await server.drop(outdated);
  say(`making an index with ${size.transfers} transfers; it is kept`);
  const started = performance.now();
  const argument = { ...size, databaseUrl: server.urlOf(draft), chainId: 1 };
  const { megabytes } = await measureProcess(new URL("./fill-process.ts", import.meta.url), argument, ["--max-old-space-size=10000"]);
  await server.rename(draft, name);
  say(`made in ${Math.round((performance.now() - started) / 1000)} s, with ${megabytes} MB of memory`);
  return name;
}
