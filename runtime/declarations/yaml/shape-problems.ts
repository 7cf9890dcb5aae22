import type { z } from "zod";
import { pluralize } from "../../lib/pluralize.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { nearest } from "../nearest.ts";
import { innerSchema, keysOf, optionsOf, renderExpectedShape, type Schema } from "./schema-inspection.ts";
import type { YamlPath, YamlSource } from "./yaml-source.ts";

type Issue = z.core.$ZodIssue;

/** A part of a file with the wrong shape, and its path. */
export interface ShapeProblem {
  readonly path: YamlPath;
  /** True if the name of an entry is invalid; its value may be valid. */
  readonly isKeyOnly: boolean;
  /** Null if the problem only follows from another one. */
  readonly diagnostic: Diagnostic | null;
}

/** Converts the schema's issues to problems: each diagnostic is located at its key or value, and names the expected values. */
export function findShapeProblems(source: YamlSource, schema: Schema, issues: readonly Issue[]): ShapeProblem[] {
  const all = issues.flatMap((issue) => problemsOf({ source, schema, base: [] }, issue));
  // A value of the wrong type is reported only for its type, not also for its length.
  const mistyped = all.filter((problem) => problem.diagnostic?.code === "wrong-type");
  const problems = all.filter(
    (problem) => problem.diagnostic?.code !== "wrong-value" || !mistyped.some(({ path }) => isSamePath(path, problem.path)),
  );
  const nearestKeys = problems.flatMap((problem) => misspelledKey(source, schema, problem) ?? []);
  const isNearestKey = (problem: ShapeProblem) => nearestKeys.some(({ path }) => isSamePath(path, problem.path));
  // A misspelled key is reported once: `sumary` is unknown, with `summary` as the nearest key, and `summary` is not also missing.
  const reported = problems.filter((problem) => problem.diagnostic?.code !== "missing-key" || !isNearestKey(problem));
  return [...reported, ...nearestKeys];
}

interface Context {
  readonly source: YamlSource;
  readonly schema: Schema;
  /** The path of the value that the schema describes. */
  readonly base: YamlPath;
}

function problemsOf(context: Context, issue: Issue): ShapeProblem[] {
  const relative = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  const path = [...context.base, ...relative];
  const schema = innerSchema(context.schema, relative);
  const inner: Context = { source: context.source, schema, base: path };
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(inner, key));
  if (issue.code === "invalid_key") return [invalidKey(inner, issue.issues[0]?.message ?? "a different name")];
  if (valueAt(context.source.value, path) === undefined) return [missingKey(inner)];
  if (issue.code === "invalid_union") return unionProblems(inner, issue.errors);
  return [{ path, isKeyOnly: false, diagnostic: valueDiagnostic(inner, issue) }];
}

function unknownKey({ source, schema, base }: Context, key: string): ShapeProblem {
  const path = [...base, key];
  return {
    path,
    isKeyOnly: false,
    diagnostic: diagnostic("unknown-key", source.locationOfKey(path), { name: key, expected: keysOf(schema) }),
  };
}

function invalidKey({ source, base }: Context, expected: string): ShapeProblem {
  const found = renderFound(String(base.at(-1)));
  return { path: base, isKeyOnly: true, diagnostic: diagnostic("wrong-value", source.locationOfKey(base), { found, expected }) };
}

// A missing key has no location, so the diagnostic is at the key of the map that lacks it.
function missingKey({ source, schema, base }: Context): ShapeProblem {
  const data = { key: String(base.at(-1)), expected: renderExpectedShape(schema) };
  return { path: base, isKeyOnly: false, diagnostic: diagnostic("missing-key", source.locationOfKey(base.slice(0, -1)), data) };
}

function valueDiagnostic({ source, schema, base }: Context, issue: Issue): Diagnostic {
  const value = valueAt(source.value, base);
  const location = source.locationOf(base);
  const found = renderFound(value);
  const text = source.textOf(base);
  // YAML has parsed it as a number, which has lost digits.
  if (typeof value === "number" && text !== undefined && /^0x/i.test(text)) return diagnostic("unquoted-hex", location, { text });
  switch (issue.code) {
    case "invalid_value":
      return typeof value === "string"
        ? diagnostic("unknown-value", location, { name: value, expected: issue.values.map(String) })
        : diagnostic("wrong-type", location, { found, expected: renderExpectedShape(schema) });
    case "invalid_type":
      return diagnostic("wrong-type", location, { found, expected: renderExpectedShape(schema) });
    case "too_small":
      return diagnostic("wrong-value", location, { found, expected: renderMinimum(issue) });
    case "too_big":
      return diagnostic("wrong-value", location, { found, expected: `at most ${issue.maximum}` });
    default:
      return diagnostic("wrong-value", location, { found, expected: issue.message });
  }
}

function renderMinimum({ origin, minimum, inclusive }: z.core.$ZodIssueTooSmall): string {
  if (origin === "string") return `text of at least ${pluralize(Number(minimum), "character")}`;
  if (origin === "array") return `a list of at least ${pluralize(Number(minimum), "element")}`;
  return inclusive === false ? `a number greater than ${minimum}` : `a number of at least ${minimum}`;
}

/** The problems with the probably intended option; if none can be inferred, one diagnostic with all options. */
function unionProblems(context: Context, errors: readonly (readonly Issue[])[]): ShapeProblem[] {
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
      const data = { name: key, expected: keys };
      return [
        { path: [...base, key], isKeyOnly: false, diagnostic: diagnostic("unknown-key", source.locationOfKey([...base, key]), data) },
      ];
    }
  }
  const [intended] = candidates.sort((left, right) => mismatchScore(left.issues) - mismatchScore(right.issues));
  if (intended !== undefined) return intended.issues.flatMap((issue) => problemsOf({ source, schema: intended.option, base }, issue));
  const data = { found: renderFound(value), expected: renderExpectedShape(schema) };
  return [{ path: base, isKeyOnly: false, diagnostic: diagnostic("wrong-type", source.locationOf(base), data) }];
}

function isTypeMismatch(issue: Issue, value: unknown): boolean {
  if (issue.code === "invalid_type") return true;
  return issue.code === "invalid_value" && typeof value !== typeof issue.values[0];
}

function mismatchScore(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === "unrecognized_keys" ? 100 * issue.keys.length : 1), 0);
}

// The missing key that an unknown key was probably meant to be.
function misspelledKey(source: YamlSource, schema: Schema, problem: ShapeProblem): ShapeProblem | null {
  if (problem.diagnostic?.code !== "unknown-key") return null;
  const container = problem.path.slice(0, -1);
  const map = valueAt(source.value, container);
  const absent = keysOf(innerSchema(schema, container)).filter((key) => !(isMap(map) && key in map));
  const key = nearest(String(problem.path.at(-1)), absent);
  return key === null ? null : { path: [...container, key], isKeyOnly: false, diagnostic: null };
}

function isSamePath(left: YamlPath, right: YamlPath): boolean {
  return left.length === right.length && left.every((step, index) => step === right[index]);
}

/** The plain value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: YamlPath): unknown {
  let current = value;
  for (const step of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, step)) return undefined;
    current = (current as Record<string | number, unknown>)[step];
  }
  return current;
}

/** Whether a value is a YAML map. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Renders a value for a diagnostic, truncated if it is long. */
export function renderFound(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (isMap(value)) return Object.keys(value).length === 0 ? "an empty map" : "a map";
  if (value === null) return "nothing (null)";
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? "nothing");
  return text.length > 60 ? `${text.slice(0, 57)}…"` : text;
}
