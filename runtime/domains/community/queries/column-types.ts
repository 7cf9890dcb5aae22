import type { Queryable } from "../../../database/database.ts";
import { columnTypesOf } from "../../../database/reader/column-types.ts";
import type { ItemField } from "../../../declarations/objects/item-field.ts";
import type { OperationQuery } from "../../../declarations/protocol.ts";

const whole = ["numeric", "bigint", "integer", "smallint"];

/** The types of columns that can be shown as a field of a format. A constant NULL has the type text, so that text is never refused. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  string: ["bytea"],
  address: ["bytea"],
  hash: ["bytea"],
  hex: ["bytea"],
  url: [],
  date: ["date"],
  number: [...whole, "double precision", "real"],
  integer: whole,
  bigint: whole,
  boolean: ["boolean"],
  timestamp: ["bigint", "integer", "timestamp with time zone"],
};

/** What is wrong with the types of the columns of an operation. Plans its statement. @throws {Error} if the statement cannot be planned. */
export async function columnProblems(
  { query }: Pick<Queryable, "query">,
  operation: OperationQuery,
  fields: readonly ItemField[],
): Promise<string[]> {
  const { text, parameters, columns } = operation;
  const [types = {}] = await query<Record<string, string>>(
    columnTypesOf(text, columns),
    parameters.map(() => null),
  );
  return fields.flatMap((field) => {
    const type = types[field.name];
    if (type === undefined || type === "text" || isAccepted(field, type)) return [];
    return [
      `Column ${field.name} has the type ${type}: expected ${[...expectedTypes(field), "text"].join(", ")} for ${field.format ?? field.object}`,
    ];
  });
}

const isAccepted = (field: ItemField, type: string): boolean => expectedTypes(field).includes(type) || (field.list && type.endsWith("[]"));

const expectedTypes = ({ list, format }: ItemField): readonly string[] =>
  list || format === null ? ["json", "jsonb"] : (accepted[format] ?? []);
