import { addedProtocolJsonSchema } from "../catalog/json-schema.ts";
import { generatedHeader } from "./header.ts";

/** Emits the JSON Schema of an operator's `protocol.yaml` for editors, with the generated header as its comment. */
export function emitProtocolSchema(): string {
  return `${JSON.stringify({ $comment: generatedHeader("runtime/declarations/added-protocol-file.ts"), ...addedProtocolJsonSchema() }, null, 2)}\n`;
}
