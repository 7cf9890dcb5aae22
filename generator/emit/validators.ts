import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import type { Model } from "../model/model.ts";
import { compareText } from "../model/names.ts";
import { catalogHeader } from "./header.ts";
import { envelopeName, responseSchemas, schemaPrefix } from "./schemas.ts";
import { compileTemplate, literal } from "./template.ts";

const renderTypes = compileTemplate<{ operations: readonly string[] }>("validators");

const annotations: ReadonlySet<string> = new Set(["description", "format", "examples"]);

const rootId = "ashlar";

/** Emits validators for successful responses, compiled ahead of time: at run time they need neither ajv nor the schemas. */
export function emitValidators(model: Model): string {
  // Without inlining, an object that many responses share is one function. Format checks would be redundant, because formats are also patterns. The schemas
  // are generated and known to be valid, so validating and optimising them would only cost time.
  const ajv = new Ajv2020({
    inlineRefs: false,
    validateFormats: false,
    allowUnionTypes: true,
    meta: false,
    validateSchema: false,
    code: { esm: true, lines: true, source: true, optimize: false },
  });
  ajv.addVocabulary(["components"]);
  const schemas = [...responseSchemas(model)]
    .sort(([left], [right]) => compareText(left, right))
    .map(([name, schema]) => [name, assertions(schema)]);
  ajv.addSchema({ $id: rootId, components: { schemas: Object.fromEntries(schemas) } });
  const envelopes = [...new Set(model.operations.map(({ response, list }) => envelopeName(response, list)))].sort(compareText);
  const references = Object.fromEntries(envelopes.map((name) => [name, `${rootId}${schemaPrefix}${name}`]));
  const code = standalone.default(ajv, references).replace(/^"use strict";\n?/, "");
  return `// ${catalogHeader}\n${code}\n\nexport const validators = {\n${entries(model)}\n};\n`;
}

/** Removes annotations, which would triple the code. A property that is named like an annotation is kept: its value is an object. */
function assertions(schema: unknown): unknown {
  const isAnnotation = (key: string, value: unknown): boolean =>
    annotations.has(key) && (typeof value !== "object" || Array.isArray(value));
  return JSON.parse(JSON.stringify(schema, (key, value: unknown) => (isAnnotation(key, value) ? undefined : value)));
}

function entries(model: Model): string {
  return [...model.operations]
    .sort((left, right) => compareText(left.id, right.id))
    .map(({ id, response, list }) => `  ${id}: ${envelopeName(response, list)},`)
    .join("\n");
}

/** Emits the types of the validators. */
export function emitValidatorTypes(model: Model): string {
  return renderTypes({
    operations: model.operations
      .map(({ id }) => id)
      .sort(compareText)
      .map(literal),
  });
}
