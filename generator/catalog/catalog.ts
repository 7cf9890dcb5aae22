import type { EndpointDefinition, FieldDefinition, ObjectDefinition, ServiceDefinition } from "./definition.ts";

/** Where something is written: lines and columns count from 1, columns in characters. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One operation with its defaults filled in, whether it is written out or expanded from the community template. */
export interface CatalogEndpoint {
  readonly id: string;
  /** The entry of the handlers that answers it; the same as `id` but for community endpoints, which share one an operation. */
  readonly handler: string;
  readonly domain: string;
  /** The place of its key in the catalog; that of the protocol's entry for community endpoints. */
  readonly place: Place;
  readonly definition: EndpointDefinition;
  /** The protocol that a community endpoint's literal path names, else null. */
  readonly protocol: string | null;
}

/** A response object whose `fields` begin with those of the object that it extends. */
export interface CatalogObject extends ObjectDefinition {
  readonly name: string;
  readonly place: Place;
  readonly fields: Record<string, FieldDefinition>;
}

/** The whole checked catalog: every name in it refers to something that exists. */
export interface Catalog {
  readonly service: ServiceDefinition;
  /** Files by name, then in the order of each document. */
  readonly operations: readonly CatalogEndpoint[];
  /** By name; in the same order as operations. */
  readonly objects: ReadonlyMap<string, CatalogObject>;
  /** One for each protocol and operation that the protocol has: protocols by number, operations in the template's order. */
  readonly community: readonly CatalogEndpoint[];
}
