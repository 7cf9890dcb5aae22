import { communityOperations } from "../../../generated/community-items.gen.ts";
import type { AddedProtocol } from "../../declarations/added-protocol.ts";
import { type JsonSchema, objectSchema } from "../../declarations/objects/schema.ts";
import type { AddedEndpoint } from "./added-endpoints.ts";
import { exampleOf } from "./example-item.ts";

interface Document {
  readonly [name: string]: unknown;
}

interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: { readonly data: Readonly<Record<string, unknown>> };
}

/** The parts of a documented endpoint that differ between endpoints with the same parameters. */
interface PathItem {
  readonly get: {
    readonly summary: string;
    readonly responses: Readonly<Record<string, object>> & { readonly "200": { readonly content: Readonly<Record<string, MediaType>> } };
  };
}

type Schemas = Readonly<Record<string, JsonSchema>>;

const schemaPrefix = "#/components/schemas/";
const json = "application/json";

/**
 * Adds the endpoints of added protocols to the OpenAPI document. Each is described like the endpoint with the same parameters, but with the summary,
 * description and objects of its declaration.
 */
export function documentEndpoints<Documented extends Document>(document: Documented, endpoints: readonly AddedEndpoint[]): Documented {
  if (endpoints.length === 0) return document;
  const paths = document.paths as Readonly<Record<string, PathItem>>;
  const components = document.components as { readonly schemas: Schemas };
  const protocols = new Set(endpoints.map(({ addedProtocol }) => addedProtocol));
  const documented = endpoints.map((endpoint) => [endpoint.operation.path, pathItemOf(paths, endpoint)] as const);
  return {
    ...document,
    paths: sorted({ ...paths, ...Object.fromEntries(documented) }),
    components: {
      ...components,
      schemas: sorted({
        ...components.schemas,
        ...Object.assign({}, ...[...protocols].map(objectSchemas)),
        ...Object.assign({}, ...endpoints.map((endpoint) => responseSchemas(paths, components.schemas, endpoint))),
      }),
    },
  };
}

/** Component names start with the protocol's id, because several protocols may declare the same name. */
const componentOf = ({ protocol }: AddedProtocol, name: string): string => `${protocol.id}.${name}`;

const referenceOf = (addedProtocol: AddedProtocol, name: string): string =>
  `${schemaPrefix}${Object.hasOwn(addedProtocol.objects, name) ? componentOf(addedProtocol, name) : name}`;

/** Whether the template has an operation of this name, whose response objects the document already contains. */
const isTemplateOperation = ({ name }: AddedEndpoint): boolean => Object.hasOwn(communityOperations, name);

function pathItemOf(paths: Readonly<Record<string, PathItem>>, endpoint: AddedEndpoint): object {
  const { operation, addedProtocol, name } = endpoint;
  const { get } = templateItemOf(paths, endpoint);
  const { "501": _planned, "200": success, ...failures } = get.responses;
  const { "x-status": _status, ...shared } = get as PathItem["get"] & { readonly "x-status"?: unknown };
  const declared = addedProtocol.endpoints[name];
  const summary = declared?.summary ?? get.summary.replace(/ \(planned\)$/, "");
  const { cost } = operation;
  const { example } = success.content[json] ?? {};
  const items = isTemplateOperation(endpoint) ? {} : { items: [exampleOf(addedProtocol.objects, declared?.item ?? "")] };
  return {
    get: {
      ...shared,
      operationId: operation.id,
      summary,
      description: declared?.notes ?? `${summary}. ${addedProtocol.protocol.description}`,
      responses: {
        "200": {
          ...success,
          description: `${summary}.`,
          content: {
            [json]: {
              schema: isTemplateOperation(endpoint) ? success.content[json]?.schema : { $ref: `${schemaPrefix}${envelopeOf(endpoint)}` },
              example: { ...example, data: { ...example?.data, protocol: operation.protocol, ...items } },
            },
            "text/csv": { schema: { type: "string" } },
          },
        },
        ...failures,
      },
      "x-credit-cost": cost === null ? "not stated" : { credits: cost.hundredths / 100, per: cost.per },
    },
  };
}

const templateItemOf = (paths: Readonly<Record<string, PathItem>>, endpoint: AddedEndpoint): PathItem => {
  const item = paths[endpoint.templatePath];
  if (item === undefined) throw new TypeError(`The OpenAPI document has no path ${endpoint.templatePath}.`);
  return item;
};

/** The schemas of an added protocol's objects, by component name. */
const objectSchemas = (addedProtocol: AddedProtocol): Schemas =>
  Object.fromEntries(
    Object.entries(addedProtocol.objects).map(([name, { description, fields }]) => [
      componentOf(addedProtocol, name),
      objectSchema(description, fields, (other) => referenceOf(addedProtocol, other)),
    ]),
  );

const responseOf = ({ addedProtocol, name }: AddedEndpoint): string => componentOf(addedProtocol, `${name}.response`);
const envelopeOf = ({ addedProtocol, name }: AddedEndpoint): string => componentOf(addedProtocol, `${name}.envelope`);

/**
 * The response and envelope schemas of an operation that only the added protocol declares: those of its template operation, with its own items.
 */
function responseSchemas(paths: Readonly<Record<string, PathItem>>, schemas: Schemas, endpoint: AddedEndpoint): Schemas {
  if (isTemplateOperation(endpoint)) return {};
  const { addedProtocol, name } = endpoint;
  const envelope = resolve(schemas, templateItemOf(paths, endpoint).get.responses["200"].content[json]?.schema);
  const response = resolve(schemas, envelope.properties?.data);
  const summary = addedProtocol.endpoints[name]?.summary ?? name;
  const items = {
    description: "The items of the page.",
    type: "array",
    items: { $ref: referenceOf(addedProtocol, addedProtocol.endpoints[name]?.item ?? "") },
  } as const;
  return {
    [responseOf(endpoint)]: { ...response, description: `${summary}.`, properties: { ...response.properties, items } },
    [envelopeOf(endpoint)]: {
      ...envelope,
      description: `A successful response: ${summary}.`,
      properties: { ...envelope.properties, data: { $ref: `${schemaPrefix}${responseOf(endpoint)}` } },
    },
  };
}

const resolve = (schemas: Schemas, schema: JsonSchema | undefined): JsonSchema =>
  schemas[schema?.$ref?.slice(schemaPrefix.length) ?? ""] ?? {};

/** Sorted by name, like the generated document. */
const sorted = <Value>(entries: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
  Object.fromEntries(Object.entries(entries).sort(([left], [right]) => (left < right ? -1 : 1)));
