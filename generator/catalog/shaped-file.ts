import type { z } from "zod";
import type { Diagnostic } from "./diagnostics.ts";
import type { Draft } from "./draft.ts";
import { findShapeFaults, isMap, type ShapeFault, valueAt } from "./shape.ts";
import type { YamlPath, YamlSource } from "./yaml-source.ts";

export { isMap } from "./shape.ts";

/** A parsed YAML file and the faults of its shape. */
export interface ShapedFile {
  readonly source: YamlSource;
  readonly diagnostics: readonly Diagnostic[];
  readonly faults: readonly ShapeFault[];
  /** The plain value at a path. */
  at(path: YamlPath): unknown;
  /** The keys of the map at a path; none if it is not a map. */
  keysAt(path: YamlPath): string[];
  /** The whole value with its defaults; null if any part has the wrong shape. */
  readonly checked: unknown;
}

/** Checks a file against its schema. */
export function shapeFile(source: YamlSource, schema: z.ZodType): ShapedFile {
  const result = schema.safeParse(source.value);
  const faults = result.success ? [] : findShapeFaults(source, schema, result.error.issues);
  return {
    source,
    diagnostics: faults.flatMap((fault) => fault.diagnostic ?? []),
    faults,
    at: (path) => valueAt(source.value, path),
    keysAt: (path) => {
      const value = valueAt(source.value, path);
      return isMap(value) ? Object.keys(value) : [];
    },
    checked: result.success ? result.data : null,
  };
}

/** The entry at a path without its invalid values; null if it is not a map. `apart` lists keys that are read separately. */
export function readDraftOf<S extends z.ZodObject>(
  file: ShapedFile,
  schema: S,
  path: YamlPath,
  apart: readonly string[] = [],
): Draft<z.output<S>> | null {
  const raw = file.at(path);
  if (!isMap(raw)) return null;
  const entry = { name: String(path.at(-1) ?? file.source.file), source: file.source, path };
  const checked = valueAt(file.checked, path);
  if (isMap(checked)) {
    const kept = Object.entries(checked).filter(([key]) => !apart.includes(key));
    return { ...entry, value: Object.fromEntries(kept) as Partial<z.output<S>>, broken: new Set() };
  }
  const below = file.faults.filter((fault) => isBelow(fault, path));
  // A key that is read separately is broken only if it is not a map: its entries record their own faults.
  const own = below.filter((fault) => fault.path.length === path.length + 1 || !apart.includes(String(fault.path[path.length])));
  const broken = new Set(own.map((fault) => String(fault.path[path.length])));
  const sound = Object.entries(raw).filter(([key]) => !broken.has(key) && !apart.includes(key));
  const result = schema.partial().safeParse(Object.fromEntries(sound));
  const value = Object.entries(result.success ? result.data : {}).filter(([key]) => !broken.has(key));
  return { ...entry, value: Object.fromEntries(value) as Partial<z.output<S>>, broken };
}

/** The entry at a path; an empty one if it is not a map, so that its name stays known. */
export function readEntry<S extends z.ZodObject>(
  file: ShapedFile,
  schema: S,
  path: YamlPath,
  apart: readonly string[] = [],
): Draft<z.output<S>> {
  const nothing = { name: String(path.at(-1)), source: file.source, path, value: {}, broken: new Set(Object.keys(schema.shape)) };
  return readDraftOf(file, schema, path, apart) ?? nothing;
}

function isBelow(fault: ShapeFault, path: YamlPath): boolean {
  const deep = fault.path.length > path.length && path.every((step, index) => fault.path[index] === step);
  // An invalid name of a nested entry does not affect the entry.
  return deep && !(fault.keyOnly && fault.path.length === path.length + 1);
}
