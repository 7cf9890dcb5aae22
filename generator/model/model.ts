import type { Example, ParameterType, ScalarType, ServiceDefinition } from "../catalog/definition.ts";

/** The catalog as the emitters want it: everything resolved, named and ordered; the same for any order of the catalog's files. */
export interface Model {
  readonly service: ServiceDefinition;
  /** By class, row and id. */
  readonly operations: readonly Operation[];
  /** One a handler, by id; operations of the community share some. */
  readonly handlers: readonly Handler[];
  /** By name. */
  readonly objects: ReadonlyMap<string, ResponseObject>;
  readonly currencies: readonly string[];
}

/** One path that answers GET. */
export interface Operation {
  readonly id: string;
  readonly handler: string;
  readonly domain: string;
  readonly row: number | null;
  readonly class: "A" | "B" | "C" | "pricing";
  readonly addition: boolean;
  readonly path: string;
  readonly segments: readonly Segment[];
  readonly summary: string;
  readonly notes: string;
  readonly mode: "realtime" | "batch";
  readonly status: "live" | "planned";
  readonly cost: Cost | null;
  readonly networks: string | null;
  readonly regime: string;
  readonly sizes: readonly number[] | null;
  readonly response: string;
  readonly list: boolean;
  readonly rows: string | null;
  readonly protocol: string | null;
  /** Path parameters in the order of the path, then query parameters; the API key is not among them. */
  readonly parameters: readonly Parameter[];
  /** The request carries the names that were sent in place of single addresses. */
  readonly sentNames: boolean;
  readonly rules: readonly Rule[];
  readonly columns: readonly CsvColumn[];
  /** The data of the documented answer. */
  readonly answer: unknown;
}

/** What the runtime has to provide: one function, whose request and response these are. */
export interface Handler {
  readonly id: string;
  readonly status: "live" | "planned";
  readonly domain: string;
  /** Any operation that it answers: all of them have the same parameters and response. */
  readonly operation: Operation;
}

export type Segment = { readonly literal: string } | { readonly parameter: string };

/** A cost in hundredths of a credit, so that sums stay whole. */
export interface Cost {
  readonly hundredths: number;
  readonly per: "call" | "item" | "block" | "30-days";
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: ParameterType;
  /** Its name in requests and in the client: camelCase. */
  readonly field: string;
  readonly description: string;
  readonly required: boolean;
  readonly default: Example | null;
  /** A literal value; where the endpoint's example names something of the story, the shared parameter's own example. */
  readonly example: Example;
  /** What the example of this endpoint takes from the demo's story. */
  readonly story: string | null;
  /** True where this endpoint's own example names the parameter. */
  readonly inExample: boolean;
  readonly values: readonly string[] | null;
  readonly sizes: readonly number[] | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly maxItems: number | null;
  /** True where the endpoint says something else than the shared parameter does. */
  readonly differs: boolean;
}

export type Rule =
  | { readonly kind: "exclusive" | "together"; readonly parameters: readonly Parameter[] }
  | { readonly kind: "ascending"; readonly parameters: readonly [Parameter, Parameter] };

/** A column of CSV: a scalar somewhere below the row (or below its parent), or an array as JSON. */
export interface CsvColumn {
  readonly header: string;
  readonly path: readonly string[];
  readonly from: "row" | "parent";
  readonly kind: "text" | "number" | "boolean" | "json";
}

export interface ResponseObject {
  readonly name: string;
  readonly description: string;
  readonly added: boolean;
  readonly rows: string | null;
  readonly fields: readonly Field[];
}

export interface Field {
  readonly name: string;
  readonly description: string;
  readonly type: { readonly scalar: ScalarType } | { readonly object: string };
  readonly list: boolean;
  readonly nullable: boolean;
  readonly values: readonly string[] | null;
  /** Null for objects, whose example is that of their fields. */
  readonly example: unknown;
  readonly added: boolean;
}
