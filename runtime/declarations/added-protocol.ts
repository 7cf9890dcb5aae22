import type { SourceLocation } from "./diagnostics.ts";
import type { ItemField } from "./objects/item-field.ts";
import type { Protocol } from "./protocol.ts";
import type { RequestParameter } from "./request-parameters.ts";

/** A protocol that an operator adds: its declaration includes what the catalog has for built-in ones. */
export interface AddedProtocol {
  readonly protocol: Protocol;
  /** The objects of its own, by name. */
  readonly objects: Readonly<Record<string, DeclaredObject>>;
  /** By operation. */
  readonly endpoints: Readonly<Record<string, DeclaredEndpoint>>;
  /** The location of its id. */
  readonly location: SourceLocation;
  /** Where it first names each network. */
  readonly networks: ReadonlyMap<string, SourceLocation>;
  /** The SQL files that it names, by the names in the declaration. */
  readonly sources: ReadonlyMap<string, SqlSource>;
}

/** A SQL file as written. */
export interface SqlSource {
  /** Its path in diagnostics. */
  readonly path: string;
  readonly text: string;
}

/** What the documentation and the server need of an operation in addition to its query. */
export interface DeclaredEndpoint {
  /** Null for that of the template. */
  readonly summary: string | null;
  readonly notes: string | null;
  /** The object of the items: one of its own or of the catalog. */
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
  /** Undefined if none is stated. */
  readonly example: unknown;
}
