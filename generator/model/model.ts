import type { ScalarType } from "../../runtime/declarations/objects/field-definition.ts";
import type { Protocol } from "../../runtime/declarations/protocol.ts";
import type { Example, ParameterType, ServiceDefinition } from "../catalog/definition.ts";

/** The catalog as the emitters read it: resolved, and in an order that does not depend on the order of the files. */
export interface Model {
  readonly service: ServiceDefinition;
  /** Sorted by class, row and id. */
  readonly operations: readonly Operation[];
  /** Sorted by id; community operations share handlers. */
  readonly handlers: readonly Handler[];
  /** By name, in alphabetical order. */
  readonly objects: ReadonlyMap<string, ResponseObject>;
  readonly currencies: readonly string[];
  /** The declared protocols, by number. */
  readonly protocols: readonly Protocol[];
}

/** One path of the interface, served with GET. */
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
  readonly style: string;
  readonly sizes: readonly number[] | null;
  readonly response: string;
  readonly list: boolean;
  readonly rows: string | null;
  readonly protocol: string | null;
  /** Path parameters in the order of the path, then query parameters; without the API key. */
  readonly parameters: readonly Parameter[];
  /** Whether the parsed request also has the registered names that clients sent in place of addresses. */
  readonly sentNames: boolean;
  readonly rules: readonly Rule[];
  readonly columns: readonly CsvColumn[];
  /** The `data` of the documented response. */
  readonly exampleData: unknown;
}

/** A function that the runtime provides, with its request and response types. */
export interface Handler {
  readonly id: string;
  readonly status: "live" | "planned";
  readonly domain: string;
  /** One of its operations: all have the same parameters and response. */
  readonly operation: Operation;
}

export type Segment = { readonly literal: string } | { readonly parameter: string };

/** A cost in hundredths of a credit, so that sums are integers. */
export interface Cost {
  readonly hundredths: number;
  readonly per: "call" | "item" | "block" | "30-days";
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query";
  readonly type: ParameterType;
  /** The camelCase name in requests and in the client. */
  readonly field: string;
  readonly description: string;
  readonly required: boolean;
  readonly default: Example | null;
  /** A literal value; the shared parameter's example if this endpoint's example is a story reference. */
  readonly example: Example;
  /** The name of the story value in this endpoint's example; null if the example is literal. */
  readonly story: string | null;
  /** True if this endpoint's example includes the parameter. */
  readonly inExample: boolean;
  readonly values: readonly string[] | null;
  readonly sizes: readonly number[] | null;
  readonly minimum: number | null;
  readonly maximum: number | null;
  readonly maxItems: number | null;
  /** True if the endpoint overrides the shared parameter. */
  readonly overridden: boolean;
}

export type Rule =
  | { readonly kind: "exclusive" | "together"; readonly parameters: readonly Parameter[] }
  | { readonly kind: "ascending"; readonly parameters: readonly [Parameter, Parameter] };

/** A column of CSV: a scalar of the row or of its parent, or an array as JSON. */
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
  /** Null for objects, whose example consists of their fields' examples. */
  readonly example: unknown;
  readonly added: boolean;
}
