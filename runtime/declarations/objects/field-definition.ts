import { z } from "zod";

/** The single definition of response objects, in the catalog and in added protocols. */

/** A scalar, an object or a list of either, followed by `?` if it may be null: `string`, `bigint?`, `[Transfer]`, `Pagination?`. */
const fieldType = z
  .string()
  .regex(/^(\[[A-Za-z][A-Za-z0-9]*\]|[A-Za-z][A-Za-z0-9]*)\??$/, "a type such as string, bigint?, [Transfer] or Pagination?");

/** The scalar types of fields; all except string, number and boolean have a checked format. */
export const scalarTypes = [
  "string",
  "number",
  "integer",
  "boolean",
  "timestamp",
  "bigint",
  "address",
  "hash",
  "hex",
  "url",
  "date",
] as const;

export const fieldDefinitionSchema = z.strictObject({
  type: fieldType,
  description: z.string().min(3),
  example: z
    .union([z.union([z.string(), z.number(), z.boolean()]), z.null(), z.array(z.union([z.string(), z.number()]))])
    .optional()
    .describe("Required for scalars and lists of scalars; the example of an object consists of its fields' examples."),
  values: z.array(z.string()).min(1).optional().describe("The only possible values."),
});

export type ScalarType = (typeof scalarTypes)[number];
