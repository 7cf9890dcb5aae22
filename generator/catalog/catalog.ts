import type { SourceLocation } from "../../runtime/declarations/diagnostics.ts";
import type { Protocol } from "../../runtime/declarations/protocol.ts";
import type { EndpointDefinition, FieldDefinition, ObjectDefinition, ServiceDefinition } from "./definition.ts";

/** An operation with defaults applied, declared in a file or expanded from the community template. */
export interface CatalogOperation {
  readonly id: string;
  /** The handler that serves it: its `id`, or, for a community endpoint, the handler that the operation shares between protocols. */
  readonly handler: string;
  readonly domain: string;
  /** The location of its key in the catalog; for a community endpoint, of the operation in the protocol's file. */
  readonly location: SourceLocation;
  readonly definition: EndpointDefinition;
  /** The protocol in the path of a community endpoint, otherwise null. */
  readonly protocol: string | null;
}

/** A response object; its `fields` start with those of the object it extends. */
export interface CatalogObject extends ObjectDefinition {
  readonly name: string;
  readonly location: SourceLocation;
  readonly fields: Record<string, FieldDefinition>;
}

/** The checked catalog: every reference in it resolves. */
export interface Catalog {
  readonly service: ServiceDefinition;
  /** Ordered by file name, then by location in the file. */
  readonly operations: readonly CatalogOperation[];
  /** By name. */
  readonly objects: ReadonlyMap<string, CatalogObject>;
  /** One per protocol and operation: protocols by number, operations in the order of the template. */
  readonly communityOperations: readonly CatalogOperation[];
  /** The declared protocols, by number. */
  readonly protocols: readonly Protocol[];
}
