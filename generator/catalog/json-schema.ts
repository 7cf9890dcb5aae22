import { z } from "zod";
import { addedProtocolFileSchema } from "../../runtime/declarations/added-protocol-file.ts";
import { protocolFileSchema } from "../../runtime/declarations/protocol-file.ts";
import * as definition from "./definition.ts";

/** The kinds of catalog files, by the name in an editor's schema reference: `../catalog.schema.json#/$defs/endpointFile`. */
const files = {
  serviceFile: definition.serviceDefinition,
  endpointFile: definition.endpointFile,
  objectFile: definition.objectFile,
  communityTemplateFile: definition.communityTemplateFile,
  communityProtocolFile: protocolFileSchema,
} as const;

/** The text of `spec/catalog.schema.json`: one JSON Schema (2020-12) for all kinds of files, for editors. */
export function catalogJsonSchema(): string {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Ashlar catalog",
    description:
      "Generated from generator/catalog/definition.ts. Each kind of file has its own definition; the generator also checks the constraints that a schema cannot express.",
    anyOf: Object.keys(files).map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: Object.fromEntries(Object.entries(files).map(([name, file]) => [name, schemaOf(file)])),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** A JSON Schema (2020-12) for `protocol.yaml` files in an operator's directory. */
export function addedProtocolJsonSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Ashlar protocol",
    description: "The protocol.yaml of a directory of protocols. Ashlar also checks the constraints that a schema cannot express.",
    ...schemaOf(addedProtocolFileSchema),
  };
}

// Describes the input: keys with a default are optional.
function schemaOf(file: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(file, { target: "draft-2020-12", io: "input" });
  return schema;
}
