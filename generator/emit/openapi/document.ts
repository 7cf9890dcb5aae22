import { type OpenAPIObject, OpenApiBuilder, type OperationObject, type SecuritySchemeObject } from "openapi3-ts/oas31";
import type { Model, Operation } from "../../model/model.ts";
import { compareText } from "../../model/names.ts";
import { catalogHeader } from "../header.ts";
import { failureName, failureSchema, responseSchemas } from "../schemas.ts";
import { renderYaml } from "../yaml.ts";
import { operationParameters, sharedParameters } from "./parameters.ts";
import { failureResponses, headers, operationResponses } from "./responses.ts";

/** Builds the OpenAPI 3.1 document. */
export function openApiDocument(model: Model): OpenAPIObject {
  const { service } = model;
  const builder = OpenApiBuilder.create({ openapi: "3.1.0", info: { title: "", version: "" }, paths: {} });
  builder.addInfo({
    "x-generated-by": catalogHeader,
    title: service.title,
    version: service.version,
    description: service.description,
    license: service.license,
  });
  builder.addServer({ url: "/", description: "The server that serves this document." });
  for (const [name, description] of Object.entries(service.tags)) builder.addTag({ name, description });
  builder.rootDoc.security = Object.keys(service.authentication).map((name) => ({ [name]: [] }));
  for (const operation of [...model.operations].sort((left, right) => compareText(left.path, right.path))) {
    builder.addPath(operation.path, { get: operationObject(model, operation) });
  }
  addComponents(builder, model);
  return builder.getSpec();
}

function operationObject(model: Model, operation: Operation): OperationObject {
  const { cost } = operation;
  const isPlanned = operation.status === "planned";
  return {
    operationId: operation.id,
    tags: [operation.domain],
    // Rendered pages do not show extensions, so the description repeats the status.
    summary: isPlanned ? `${operation.summary} (planned)` : operation.summary,
    description: isPlanned ? `${operation.notes} Planned: responds with 501 until it is live.` : operation.notes,
    parameters: operationParameters(model, operation),
    responses: operationResponses(model, operation),
    "x-credit-cost": cost === null ? "not stated" : { credits: cost.hundredths / 100, per: cost.per },
    "x-processing-mode": operation.mode,
    ...(isPlanned ? { "x-status": "planned" } : {}),
    ...(operation.row === null ? {} : { "x-row": operation.row }),
    ...(operation.addition ? { "x-addition": true } : {}),
    "x-class": operation.class,
    "x-pagination": operation.style,
    ...(operation.networks === null ? {} : { "x-networks": model.service.networkGroups[operation.networks]?.chains ?? [] }),
  };
}

function addComponents(builder: OpenApiBuilder, model: Model): void {
  const schemas = [...responseSchemas(model), [failureName, failureSchema(model)] as const];
  for (const [name, schema] of schemas.sort(([left], [right]) => compareText(left, right))) builder.addSchema(name, schema);
  for (const [name, parameter] of sharedParameters(model)) builder.addParameter(name, parameter);
  for (const [name, response] of Object.entries(failureResponses(model))) builder.addResponse(name, response);
  for (const [name, header] of Object.entries(headers(model))) builder.addHeader(name, header);
  for (const [name, scheme] of Object.entries(model.service.authentication)) {
    builder.addSecurityScheme(name, scheme as SecuritySchemeObject);
  }
}

/** Emits the document as JSON. */
export function emitOpenApiJson(model: Model): string {
  return `${JSON.stringify(openApiDocument(model), null, 2)}\n`;
}

/** Emits the document as YAML. */
export function emitOpenApiYaml(model: Model): string {
  return `# ${catalogHeader}\n${renderYaml(openApiDocument(model))}`;
}
