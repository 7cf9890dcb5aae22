import { generate } from "../emit/generate.ts";
import { compareFiles, renderDifference } from "./compare.ts";
import { readInput } from "./read-input.ts";
import { readOutput } from "./read-output.ts";
import { type WriteResult, writeOutput } from "./write-output.ts";

/** The outcome of a run: the written files, or messages about problems. */
export type Outcome =
  | {
      readonly kind: "written";
      readonly changes: WriteResult;
      readonly stubs: readonly string[];
      readonly updatedIndexPaths: readonly string[];
    }
  | { readonly kind: "clean"; readonly fileCount: number }
  | { readonly kind: "invalid-catalog"; readonly messages: readonly string[] }
  | { readonly kind: "outdated"; readonly messages: readonly string[] };

/** Generates all files and writes the changed ones, and optionally stubs of missing resolvers; writes nothing for an invalid catalog. */
export async function runWrite(root: string, options: { readonly stubs: boolean }): Promise<Outcome> {
  const input = await readInput(root);
  if (!input.ok) return { kind: "invalid-catalog", messages: input.messages };
  const changes = await writeOutput(root, generate(input.catalog, input.recorded));
  const written = { kind: "written", changes, stubs: [], updatedIndexPaths: [] } as const;
  if (!options.stubs) return written;
  const { findMissingResolvers } = await import("../scaffold/missing-resolvers.ts");
  const missing = await findMissingResolvers(root, input.catalog);
  if (missing.length === 0) return written;
  // Imported only if needed: it loads a compiler, which takes longer than everything else.
  const { writeStubs } = await import("../scaffold/write-stubs.ts");
  return { ...written, ...(await writeStubs(root, missing)) };
}

/** Generates all files in memory and compares them with the files on disk. */
export async function runCheck(root: string): Promise<Outcome> {
  const input = await readInput(root);
  if (!input.ok) return { kind: "invalid-catalog", messages: input.messages };
  const files = generate(input.catalog, input.recorded);
  const differences = compareFiles(files, await readOutput(root, files.keys()));
  if (differences.length === 0) return { kind: "clean", fileCount: files.size };
  return { kind: "outdated", messages: differences.map(renderDifference) };
}
