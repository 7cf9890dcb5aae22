import { z } from "zod";
import * as objects from "../../runtime/declarations/objects/field-definition.ts";

/**
 * The single definition of the catalog: the TypeScript types, the shape checks and `spec/catalog.schema.json` are derived from it.
 * Constraints that a shape cannot express, such as references and overlapping paths, are in `checks/`.
 */

const sentence = z.string().min(3);
const kebabName = z.string().regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, "a kebab-case name");
const camelName = z.string().regex(/^[a-z][a-zA-Z0-9]*$/, "a camelCase name");
const pascalName = z.string().regex(/^[A-Z][A-Za-z0-9]*$/, "a PascalCase name");
const snakeName = z.string().regex(/^[a-z][a-z0-9_]*$/, "a snake_case name");

/** The parameter types; each has one strict parser in `runtime/parameters`. */
export const parameterTypes = [
  "chain",
  "address",
  "addressList",
  "bitcoinAddress",
  "hash",
  "topicList",
  "height",
  "block",
  "date",
  "dateOrLatest",
  "integer",
  "boolean",
  "currency",
  "choice",
  "text",
  "textList",
  "tokenId",
] as const;

const parameterType = z.enum(parameterTypes);

/** One example value: a literal, or `story:<name>` for a story value of the demo chain, resolved when the demo runs. */
const example = z.union([z.string(), z.number(), z.boolean()]);

export const parameterDefinition = z.strictObject({
  type: parameterType,
  description: sentence,
  example,
  default: example.optional(),
  required: z.boolean().optional().describe("Query parameters only; path parameters are always required."),
  values: z.array(z.string()).min(1).optional().describe("For `choice`: the accepted values."),
  minimum: z.number().int().optional(),
  maximum: z.number().int().optional(),
  maxItems: z.number().int().positive().optional().describe("For lists: the maximum number of elements."),
});

/** A use of a shared parameter by an endpoint: its name, or its name with overrides. */
const parameterUse = z.union([
  kebabName,
  z.strictObject({
    name: kebabName,
    type: z.literal("bitcoinAddress").optional().describe("For an address of a chain that is not an EVM network."),
    description: sentence.optional(),
    default: example.optional(),
    required: z.boolean().optional(),
    values: z.array(z.string()).min(1).optional(),
    minimum: z.number().int().optional(),
    maximum: z.number().int().optional(),
  }),
]);

const described = z.strictObject({ description: sentence });

export const serviceDefinition = z.strictObject({
  title: sentence,
  version: z.string().regex(/^\d+\.\d+\.\d+$/, "a version such as 1.0.0"),
  description: sentence,
  license: z.strictObject({ name: z.string(), identifier: z.string() }),
  tags: z.record(kebabName, sentence).describe("One tag per domain, with its description."),
  envelope: z.strictObject({ data: described, error: described, error_message: described, error_code: described }),
  errors: z.record(
    z.string().regex(/^[45]\d\d$/, "a 4xx or 5xx status"),
    z.strictObject({ title: sentence, description: sentence, example: sentence }),
  ),
  authentication: z.record(
    camelName,
    z.strictObject({
      type: z.enum(["http", "apiKey"]),
      scheme: z.enum(["bearer", "basic"]).optional(),
      in: z.enum(["query"]).optional(),
      name: z.string().optional(),
      description: sentence,
    }),
  ),
  headers: z.record(
    z.string().regex(/^[A-Z][A-Za-z-]+$/, "a header name"),
    z.strictObject({ type: z.enum(["string", "integer", "number"]), description: sentence, example }),
  ),
  pathParameters: z.record(camelName, parameterDefinition),
  queryParameters: z.record(kebabName, parameterDefinition),
  commonQuery: z.array(kebabName).describe("Query parameters that every endpoint accepts."),
  pagination: z.record(
    kebabName,
    z.strictObject({
      description: sentence,
      query: z.array(kebabName).optional(),
      path: camelName.optional(),
      responseFields: z.array(snakeName).describe("The fields that the response must have."),
    }),
  ),
  networkGroups: z.record(kebabName, z.strictObject({ description: sentence, chains: z.array(z.string()).min(1) })),
});

const isWholeHundredths = (value: number): boolean => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6;

/** Credits are counted in hundredths; below the maximum, their sums are exact. */
const credits = z.number().min(0).max(1_000_000).refine(isWholeHundredths, "a number with at most two decimals");

const cost = z.union([
  z.strictObject({ credits, per: z.enum(["call", "item", "block", "30-days"]).default("call") }),
  z.literal("not-stated"),
]);

const rule = z.union([
  z.strictObject({ exclusive: z.array(kebabName).min(2).describe("At most one of these may be sent.") }),
  z.strictObject({ together: z.array(kebabName).min(2).describe("Either all of these or none must be sent.") }),
  z.strictObject({
    ascending: z
      .tuple([z.string(), z.string()])
      .describe("A range: its start must not be greater than its end (blocks, whole numbers or days)."),
  }),
]);

export const endpointDefinition = z.strictObject({
  row: z
    .number()
    .int()
    .positive()
    .optional()
    .describe("The row number in the interface's tables; additions and pricing endpoints have none."),
  class: z.enum(["A", "B", "C", "pricing"]),
  addition: z.boolean().optional().describe("True for an endpoint that clients use but that the interface's tables do not list."),
  path: z.string().regex(/^\/v1\/(?:[^/]+\/)+$/, "a path that starts with /v1/ and ends with a slash"),
  summary: sentence,
  notes: sentence,
  cost,
  mode: z.enum(["realtime", "batch"]),
  status: z.enum(["live", "planned"]).default("live"),
  response: pascalName.describe("The object in `data`."),
  list: z.boolean().optional().describe("True if `data` is an array of the response object."),
  networks: kebabName.optional().describe("The network group that the endpoint is restricted to."),
  definedAs: z
    .record(camelName, camelName)
    .optional()
    .describe(
      "Path parameters that the service defines under a different name: a contractAddress that accepts several addresses is defined as contractAddresses.",
    ),
  sentNames: z
    .boolean()
    .optional()
    .describe(
      "True if the resolver also receives the name that was sent instead of an address: walletAddressName in addition to walletAddress.",
    ),
  query: z.array(parameterUse).default([]),
  pagination: z
    .strictObject({
      style: kebabName,
      sizes: z.array(z.number().int().positive()).min(1).optional(),
      size: z.number().int().positive().optional(),
    })
    .default({ style: "none" }),
  rules: z.array(rule).default([]),
  example: z
    .record(z.string(), example)
    .default({})
    .describe("Values of this endpoint's parameters in its example; other parameters use their own example."),
});

export const endpointFile = z.strictObject({ domain: kebabName, endpoints: z.record(camelName, endpointDefinition) });

export const fieldDefinition = objects.fieldDefinitionSchema.extend({
  added: z.boolean().optional().describe("True for a field that is not part of the original interface."),
});

export const objectDefinition = z.strictObject({
  description: sentence,
  added: z.boolean().optional().describe("True for an object that is not part of the original interface."),
  extends: pascalName.optional(),
  rows: snakeName.optional().describe("The array whose elements are the rows of CSV and the items that the cost counts."),
  fields: z.record(snakeName, fieldDefinition).refine((fields) => Object.keys(fields).length > 0, "at least one field"),
});

export const objectFile = z.record(pascalName, objectDefinition);

/** The community endpoints: one template per operation. */
export const communityTemplateFile = z.strictObject({
  domain: kebabName,
  path: z.string(),
  operations: z.record(
    snakeName,
    z.strictObject({
      summary: sentence,
      notes: sentence,
      response: pascalName,
      query: z.array(parameterUse).default([]),
      pagination: z.strictObject({ style: kebabName }).default({ style: "none" }),
      example: z.record(z.string(), example).default({}).describe("Example values of the operation's parameters, by parameter name."),
    }),
  ),
});

export type ParameterType = (typeof parameterTypes)[number];
export type ServiceDefinition = z.infer<typeof serviceDefinition>;
export type ParameterDefinition = z.infer<typeof parameterDefinition>;
export type ParameterUse = z.infer<typeof parameterUse>;
export type EndpointDefinition = z.infer<typeof endpointDefinition>;
export type ObjectDefinition = z.infer<typeof objectDefinition>;
export type FieldDefinition = z.infer<typeof fieldDefinition>;
export type CommunityTemplateFile = z.infer<typeof communityTemplateFile>;
export type Example = z.infer<typeof example>;
