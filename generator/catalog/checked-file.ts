import type { z } from "zod";
import { findShapeProblems, isMap, type ShapeProblem, valueAt } from "../../runtime/declarations/yaml/shape-problems.ts";
import type { YamlPath, YamlSource } from "../../runtime/declarations/yaml/yaml-source.ts";
import type { Diagnostic } from "./diagnostics.ts";
import type { Draft } from "./draft.ts";

export { isMap } from "../../runtime/declarations/yaml/shape-problems.ts";

/** A parsed YAML file with the problems in its shape. */
export interface CheckedFile {
  readonly source: YamlSource;
  readonly diagnostics: readonly Diagnostic[];
  readonly problems: readonly ShapeProblem[];
  /** The plain value at a path. */
  valueAt(path: YamlPath): unknown;
  /** The keys of the map at a path; none if it is not a map. */
  keysAt(path: YamlPath): string[];
  /** The entire value with defaults applied; null if any part has the wrong shape. */
  readonly validated: unknown;
}

/** Checks a file against its schema. */
export function checkFile(source: YamlSource, schema: z.ZodType): CheckedFile {
  const result = schema.safeParse(source.value);
  const problems = result.success ? [] : findShapeProblems(source, schema, result.error.issues);
  return {
    source,
    diagnostics: problems.flatMap((problem) => problem.diagnostic ?? []),
    problems,
    valueAt: (path) => valueAt(source.value, path),
    keysAt: (path) => {
      const value = valueAt(source.value, path);
      return isMap(value) ? Object.keys(value) : [];
    },
    validated: result.success ? result.data : null,
  };
}

/** The entry at a path without its invalid values; null if it is not a map. The caller reads the `separateKeys` itself. */
export function readEntryOrNull<S extends z.ZodObject>(
  file: CheckedFile,
  schema: S,
  path: YamlPath,
  separateKeys: readonly string[] = [],
): Draft<z.output<S>> | null {
  const raw = file.valueAt(path);
  if (!isMap(raw)) return null;
  const entry = { name: String(path.at(-1) ?? file.source.file), source: file.source, path };
  const validated = valueAt(file.validated, path);
  if (isMap(validated)) {
    const entries = Object.entries(validated).filter(([key]) => !separateKeys.includes(key));
    return { ...entry, value: Object.fromEntries(entries) as Partial<z.output<S>>, invalidKeys: new Set() };
  }
  const nested = file.problems.filter((problem) => isBelow(problem, path));
  // A key that is read separately is invalid only if its value is not a map: its entries record their own problems.
  const direct = nested.filter(
    (problem) => problem.path.length === path.length + 1 || !separateKeys.includes(String(problem.path[path.length])),
  );
  const invalidKeys = new Set(direct.map((problem) => String(problem.path[path.length])));
  const valid = Object.entries(raw).filter(([key]) => !invalidKeys.has(key) && !separateKeys.includes(key));
  const result = schema.partial().safeParse(Object.fromEntries(valid));
  const value = Object.entries(result.success ? result.data : {}).filter(([key]) => !invalidKeys.has(key));
  return { ...entry, value: Object.fromEntries(value) as Partial<z.output<S>>, invalidKeys };
}

/** Returns the entry at a path, or an empty one if it is not a map, so that its name remains known. */
export function readEntry<S extends z.ZodObject>(
  file: CheckedFile,
  schema: S,
  path: YamlPath,
  separateKeys: readonly string[] = [],
): Draft<z.output<S>> {
  const empty = { name: String(path.at(-1)), source: file.source, path, value: {}, invalidKeys: new Set(Object.keys(schema.shape)) };
  return readEntryOrNull(file, schema, path, separateKeys) ?? empty;
}

function isBelow(problem: ShapeProblem, path: YamlPath): boolean {
  const isNested = problem.path.length > path.length && path.every((step, index) => problem.path[index] === step);
  // An invalid name of a nested entry does not affect the entry.
  return isNested && !(problem.isKeyOnly && problem.path.length === path.length + 1);
}
