import type { z } from "zod";
import { type Diagnostic, diagnostic } from "./diagnostics.ts";
import { nearest } from "./nearest.ts";
import { innerSchema, keysOf, optionsOf, renderAcceptedShape, type Schema } from "./schema-inspection.ts";
import type { YamlPath, YamlSource } from "./yaml-source.ts";

type Issue = z.core.$ZodIssue;

/** A part of a file that has the wrong shape, and its position. */
export interface ShapeFault {
  readonly path: YamlPath;
  /** True if the name of an entry is invalid and its value may be valid. */
  readonly keyOnly: boolean;
  /** Null for a consequence of another fault. */
  readonly diagnostic: Diagnostic | null;
}

/** The faults in the shape of a file: each diagnostic at its key or value, with the accepted values. */
export function findShapeFaults(source: YamlSource, schema: Schema, issues: readonly Issue[]): ShapeFault[] {
  const found = issues.flatMap((issue) => faultsOf({ source, schema, base: [] }, issue));
  // A value of the wrong type is reported once: not also for its length.
  const mistyped = found.filter((fault) => fault.diagnostic?.code === "wrong-type");
  const faults = found.filter(
    (fault) => fault.diagnostic?.code !== "wrong-value" || !mistyped.some(({ path }) => isSamePath(path, fault.path)),
  );
  const nearestKeys = faults.flatMap((fault) => misspeltKey(source, schema, fault) ?? []);
  const isNearestKey = (fault: ShapeFault) => nearestKeys.some(({ path }) => isSamePath(path, fault.path));
  // A misspelt key is one fault: `sumary` is reported as unknown, with `summary` as the nearest key, and `summary` is not also reported as missing.
  const reported = faults.filter((fault) => fault.diagnostic?.code !== "missing-key" || !isNearestKey(fault));
  return [...reported, ...nearestKeys];
}

interface Context {
  readonly source: YamlSource;
  readonly schema: Schema;
  /** The path of the value that the schema describes. */
  readonly base: YamlPath;
}

function faultsOf(context: Context, issue: Issue): ShapeFault[] {
  const relative = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  const path = [...context.base, ...relative];
  const schema = innerSchema(context.schema, relative);
  const at: Context = { source: context.source, schema, base: path };
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(at, key));
  if (issue.code === "invalid_key") return [invalidKey(at, issue.issues[0]?.message ?? "another name")];
  if (valueAt(context.source.value, path) === undefined) return [missingKey(at)];
  if (issue.code === "invalid_union") return unionFaults(at, issue.errors);
  return [{ path, keyOnly: false, diagnostic: valueDiagnostic(at, issue) }];
}

function unknownKey({ source, schema, base }: Context, key: string): ShapeFault {
  const path = [...base, key];
  return { path, keyOnly: false, diagnostic: diagnostic("unknown-key", source.placeOfKey(path), { name: key, accepted: keysOf(schema) }) };
}

function invalidKey({ source, base }: Context, accepted: string): ShapeFault {
  const sent = renderSent(String(base.at(-1)));
  return { path: base, keyOnly: true, diagnostic: diagnostic("wrong-value", source.placeOfKey(base), { sent, accepted }) };
}

// A missing key has no position: the diagnostic is at the key of the map that lacks it.
function missingKey({ source, schema, base }: Context): ShapeFault {
  const data = { key: String(base.at(-1)), accepted: renderAcceptedShape(schema) };
  return { path: base, keyOnly: false, diagnostic: diagnostic("missing-key", source.placeOfKey(base.slice(0, -1)), data) };
}

function valueDiagnostic({ source, schema, base }: Context, issue: Issue): Diagnostic {
  const value = valueAt(source.value, base);
  const place = source.placeOf(base);
  const sent = renderSent(value);
  switch (issue.code) {
    case "invalid_value":
      return typeof value === "string"
        ? diagnostic("unknown-value", place, { name: value, accepted: issue.values.map(String) })
        : diagnostic("wrong-type", place, { sent, accepted: renderAcceptedShape(schema) });
    case "invalid_type":
      return diagnostic("wrong-type", place, { sent, accepted: renderAcceptedShape(schema) });
    case "too_small":
      return diagnostic("wrong-value", place, { sent, accepted: renderMinimum(issue) });
    case "too_big":
      return diagnostic("wrong-value", place, { sent, accepted: `at most ${issue.maximum}` });
    default:
      return diagnostic("wrong-value", place, { sent, accepted: issue.message });
  }
}

function renderMinimum(issue: z.core.$ZodIssueTooSmall): string {
  const minimum = `${issue.inclusive === false ? "more than" : "at least"} ${issue.minimum}`;
  if (issue.origin === "string") return `text of ${minimum} characters`;
  if (issue.origin === "array") return `a list of ${minimum} elements`;
  return `a number of ${minimum}`;
}

/** The diagnostics of the intended option; if it is not evident, one diagnostic that names all options. */
function unionFaults(context: Context, errors: readonly (readonly Issue[])[]): ShapeFault[] {
  const { source, schema, base } = context;
  const options = optionsOf(schema);
  const candidates = errors
    .map((issues, index) => ({ issues, option: options[index] ?? schema }))
    .filter(({ issues }) => !issues.some((issue) => issue.path.length === 0 && isTypeMismatch(issue, valueAt(source.value, base))));
  const keys = candidates.flatMap(({ option }) => keysOf(option));
  const value = valueAt(source.value, base);
  if (candidates.length > 1 && isMap(value)) {
    const unknown = Object.keys(value).filter((key) => !keys.includes(key));
    const [key] = unknown;
    if (key !== undefined) {
      const data = { name: key, accepted: keys };
      return [{ path: [...base, key], keyOnly: false, diagnostic: diagnostic("unknown-key", source.placeOfKey([...base, key]), data) }];
    }
  }
  const [intended] = candidates.sort((left, right) => mismatchScore(left.issues) - mismatchScore(right.issues));
  if (intended !== undefined) return intended.issues.flatMap((issue) => faultsOf({ source, schema: intended.option, base }, issue));
  const data = { sent: renderSent(value), accepted: renderAcceptedShape(schema) };
  return [{ path: base, keyOnly: false, diagnostic: diagnostic("wrong-type", source.placeOf(base), data) }];
}

function isTypeMismatch(issue: Issue, value: unknown): boolean {
  if (issue.code === "invalid_type") return true;
  return issue.code === "invalid_value" && typeof value !== typeof issue.values[0];
}

function mismatchScore(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? 100 * issue.keys.length : 1), 0);
}

// The missing key that was probably meant by an unknown key.
function misspeltKey(source: YamlSource, schema: Schema, fault: ShapeFault): ShapeFault | null {
  if (fault.diagnostic?.code !== "unknown-key") return null;
  const container = fault.path.slice(0, -1);
  const map = valueAt(source.value, container);
  const absent = keysOf(innerSchema(schema, container)).filter((key) => !(isMap(map) && key in map));
  const key = nearest(String(fault.path.at(-1)), absent);
  return key === null ? null : { path: [...container, key], keyOnly: false, diagnostic: null };
}

function isSamePath(left: YamlPath, right: YamlPath): boolean {
  return left.length === right.length && left.every((step, index) => step === right[index]);
}

/** The plain value at a path, undefined where there is none. */
export function valueAt(value: unknown, path: YamlPath): unknown {
  let found = value;
  for (const step of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Record<string | number, unknown>)[step];
  }
  return found;
}

/** Whether a value is a map of YAML. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value as diagnostics quote it, truncated if it is long. */
export function renderSent(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (isMap(value)) return Object.keys(value).length === 0 ? "an empty map" : "a map";
  if (value === null) return "nothing (null)";
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "nothing");
  return text.length > 60 ? `${text.slice(0, 57)}…"` : text;
}
