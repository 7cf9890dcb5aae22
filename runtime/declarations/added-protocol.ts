import type { SourceLocation } from "./diagnostics.ts";
import type { ItemField } from "./objects/item-field.ts";
import type { Protocol } from "./protocol.ts";
import type { RequestParameter } from "./request-parameters.ts";

/** A protocol that an operator adds, with the objects and endpoints that the catalog defines for built-in ones. */
export interface AddedProtocol {
  readonly protocol: Protocol;
  /** Its own objects, by name. */
  readonly objects: Readonly<Record<string, DeclaredObject>>;
  /** By operation. */
  readonly endpoints: Readonly<Record<string, DeclaredEndpoint>>;
  /** The location of its id. */
  readonly location: SourceLocation;
  /** The location at which it first names each network. */
  readonly networkLocations: ReadonlyMap<string, SourceLocation>;
  /** The SQL files, by their names in the declaration. */
  readonly sources: ReadonlyMap<string, SqlSource>;
}

/** A SQL file as written. */
export interface SqlSource {
  /** Its path in diagnostics. */
  readonly path: string;
  readonly text: string;
}

/** The properties of an operation, besides its query, that the documentation and the server need. */
export interface DeclaredEndpoint {
  /** Null if the template's summary applies. */
  readonly summary: string | null;
  readonly notes: string | null;
  /** The item object, defined by the protocol or the catalog. */
  readonly item: string;
  readonly parameters: readonly RequestParameter[];
  /** Null if it is free. */
  readonly cost: { readonly hundredths: number; readonly per: "call" | "item" } | null;
}

export interface DeclaredObject {
  readonly description: string;
  readonly fields: readonly DeclaredField[];
}

export interface DeclaredField extends ItemField {
  readonly description: string;
  readonly values: readonly string[] | null;
  /** Undefined if there is none. */
  readonly example: unknown;
}
