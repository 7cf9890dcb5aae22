import { z } from "zod";
import { namePattern } from "./names.ts";
import { fieldDefinitionSchema } from "./objects/field-definition.ts";
import { protocolFileSchema } from "./protocol-file.ts";
import { requestParameters } from "./request-parameters.ts";

const sentence = z.string().min(3);
const snakeName = z.string().regex(namePattern, "a snake_case name of at most 30 characters");
const objectName = z.string().regex(/^[A-Z][A-Za-z0-9]{0,39}$/, "a PascalCase name of at most 40 letters and digits");

const hasAtMostTwoDecimals = (value: number): boolean => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6;

const cost = z.strictObject({
  credits: z.number().min(0).max(1_000_000).refine(hasAtMostTwoDecimals, "a number with at most two decimals"),
  per: z.enum(["call", "item"]).default("call"),
});

const addedObject = z.strictObject({
  description: sentence,
  fields: z.record(snakeName, fieldDefinitionSchema).refine((fields) => Object.keys(fields).length > 0, "at least one field"),
});

const [, operation] = protocolFileSchema.shape.operations.valueType.options;

const addedOperation = z.strictObject({
  ...operation.shape,
  sql: operation.shape.sql.unwrap(),
  summary: sentence.optional().describe("The title of the endpoint; required for an operation that is not in the template."),
  item: z.string().optional().describe("The object of its items; required for an operation that is not in the template."),
  parameters: z.array(z.enum(requestParameters)).optional().describe("The parameters of an operation that is not in the template."),
  cost: cost.optional().describe("The credits that a response costs; without it, the operation is free."),
});

/** The shape of an added protocol's `protocol.yaml`: like that of a built-in protocol, but with its own operations and objects. */
export const addedProtocolFileSchema = protocolFileSchema.extend({
  name: protocolFileSchema.shape.name.optional(),
  objects: z.record(objectName, addedObject).default({}).describe("Objects of responses, in addition to those of the catalog."),
  operations: z.record(snakeName, addedOperation),
});

/** An added protocol's declaration as written, with defaults applied. */
export type AddedProtocolFile = z.infer<typeof addedProtocolFileSchema>;
