import { catalogJsonSchema } from "../catalog/json-schema.ts";
import { schemaHeader } from "./header.ts";

/** Emits the JSON Schema of the catalog's files for editors, with the generated header as its comment. */
export function emitCatalogSchema(): string {
  return `${JSON.stringify({ $comment: schemaHeader, ...JSON.parse(catalogJsonSchema()) }, null, 2)}\n`;
}
