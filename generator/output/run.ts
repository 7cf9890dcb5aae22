import { generate } from "../emit/emit.ts";
import { compareFiles, renderDifference } from "./compare.ts";
import { readInput } from "./read-input.ts";
import { readOutput } from "./read-output.ts";
import { type Written, writeOutput } from "./write-output.ts";

/** The outcome of a run: the written files, or the messages about faults. */
export type Outcome =
  | { readonly kind: "written"; readonly changes: Written; readonly stubs: readonly string[]; readonly registered: readonly string[] }
  | { readonly kind: "clean"; readonly files: number }
  | { readonly kind: "invalid-catalog"; readonly messages: readonly string[] }
  | { readonly kind: "outdated"; readonly messages: readonly string[] };

/** Generates everything and writes what changed, optionally with registered stubs of missing resolvers; an invalid catalog writes nothing. */
export async function runWrite(root: string, options: { readonly stubs: boolean }): Promise<Outcome> {
  const input = await readInput(root);
  if (!input.ok) return { kind: "invalid-catalog", messages: input.messages };
  const changes = await writeOutput(root, generate(input.catalog, input.recorded));
  const written = { kind: "written", changes, stubs: [], registered: [] } as const;
  if (!options.stubs) return written;
  const { missingStubs } = await import("../scaffold/missing-stubs.ts");
  const missing = await missingStubs(root, input.catalog);
  if (missing.length === 0) return written;
  // It loads a compiler, which takes longer than everything else, and a resolver is rarely missing.
  const { writeStubs } = await import("../scaffold/write-stubs.ts");
  return { ...written, ...(await writeStubs(root, missing)) };
}

/** Generates everything in memory and compares it with the files on disk. */
export async function runCheck(root: string): Promise<Outcome> {
  const input = await readInput(root);
  if (!input.ok) return { kind: "invalid-catalog", messages: input.messages };
  const files = generate(input.catalog, input.recorded);
  const differences = compareFiles(files, await readOutput(root, files.keys()));
  if (differences.length === 0) return { kind: "clean", files: files.size };
  return { kind: "outdated", messages: differences.map(renderDifference) };
}
