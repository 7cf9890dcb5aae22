import type { Random } from "../../../demo/story/random.ts";
import type { ParameterType } from "../../../generator/catalog/definition.ts";
import type { Operation, Parameter } from "../../../generator/model/model.ts";
import { valuesOf } from "../values.ts";
import { hostileHeaders, hostileTexts, rewriteTarget } from "./hostile-inputs.ts";

/** A generated request. */
export interface GeneratedRequest {
  readonly operation: Operation;
  readonly method: "GET" | "HEAD";
  /** A target that the HTTP client sends unchanged. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the path still matches the operation, so the response must be documented for it. */
  readonly matchesOperation: boolean;
}

/** Example values from a chain's story, by operation and by parameter type. */
export interface StoryExamples {
  readonly exampleOf: (operation: Operation) => Readonly<Record<string, string>>;
  readonly byType: ReadonlyMap<ParameterType, readonly string[]>;
}

/** Groups the values of all examples by parameter type. */
export function createStoryExamples(operations: readonly Operation[], exampleOf: StoryExamples["exampleOf"]): StoryExamples {
  const byType = new Map<ParameterType, string[]>();
  for (const operation of operations) {
    const example = exampleOf(operation);
    for (const { name, type } of operation.parameters) {
      const value = example[name];
      if (value !== undefined) byType.set(type, [...(byType.get(type) ?? []), value]);
    }
  }
  return { exampleOf, byType: new Map([...byType].map(([type, values]) => [type, [...new Set(values)]])) };
}

/** Generates a request for an operation: its example, with valid, borderline, invalid or hostile values for some parameters. */
export function generateRequest(random: Random, operation: Operation, examples: StoryExamples): GeneratedRequest {
  const example = examples.exampleOf(operation);
  // Most parameters keep their example values: a request with many invalid values would only test how errors are reported.
  const changesOneIn = random.pick([2, 4, 8]);
  const values = operation.parameters.flatMap((parameter): [Parameter, string][] => {
    const { name, required } = parameter;
    if (random.oneIn(changesOneIn)) return [[parameter, generateValue(random, parameter, examples)]];
    const value = example[name] ?? (required ? String(parameter.example) : undefined);
    return value === undefined ? [] : [[parameter, value]];
  });
  const target = rewriteTarget(random, targetOf(random, operation, values));
  return {
    operation,
    method: random.oneIn(20) ? "HEAD" : "GET",
    target: target.text,
    headers: random.oneIn(10) ? random.pick(hostileHeaders) : {},
    // An empty path parameter leaves an empty segment, which no operation's path has.
    matchesOperation: target.matchesOperation && values.every(([parameter, value]) => parameter.in !== "path" || value !== ""),
  };
}

function generateValue(random: Random, parameter: Parameter, { byType }: StoryExamples): string {
  const { valid, invalid } = valuesOf(parameter);
  const kind = random.below(10);
  if (kind < 4) return random.pick(byType.get(parameter.type) ?? valid);
  if (kind < 7) return random.pick(valid);
  if (kind < 9) return random.pick(invalid);
  return random.pick(hostileTexts);
}

/** The target with its values, sometimes with a parameter repeated; path parameters that would add or remove segments are percent-encoded. */
function targetOf(random: Random, operation: Operation, values: readonly (readonly [Parameter, string])[]): string {
  const inPath = new Map(values.filter(([parameter]) => parameter.in === "path").map(([{ name }, value]) => [name, value]));
  const path = operation.segments
    .map((segment) => ("literal" in segment ? segment.literal : encodeURIComponent(inPath.get(segment.parameter) ?? "")))
    .join("/");
  const query = values
    .filter(([parameter]) => parameter.in === "query")
    .flatMap(([{ name }, value]) => {
      const pair = `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
      return random.oneIn(40) ? [pair, pair] : [pair];
    });
  return `/${path}/${query.length === 0 ? "" : `?${query.join("&")}`}`;
}
