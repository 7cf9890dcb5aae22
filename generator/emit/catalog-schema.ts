import { catalogJsonSchema } from "../catalog/json-schema.ts";
import { schemaSentence } from "./header.ts";

/** The JSON Schema of the catalog's files for editors, with the header of generated files. */
export function emitCatalogSchema(): string {
  return `${JSON.stringify({ $comment: schemaSentence, ...JSON.parse(catalogJsonSchema()) }, null, 2)}\n`;
}
