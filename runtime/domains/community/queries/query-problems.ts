import type { Queryable } from "../../../database/database.ts";
import { columnTypesStatement } from "../../../database/reader/column-types.ts";
import type { ItemField } from "../../../declarations/objects/item-field.ts";
import type { OperationQuery } from "../../../declarations/protocol.ts";

const integerTypes = ["numeric", "bigint", "integer", "smallint"];

/** The column types that each field format accepts. Text is always accepted, because it is the type of a constant NULL. */
const accepted: Readonly<Record<string, readonly string[]>> = {
  string: ["bytea"],
  address: ["bytea"],
  hash: ["bytea"],
  hex: ["bytea"],
  url: [],
  date: ["date"],
  number: [...integerTypes, "double precision", "real"],
  integer: integerTypes,
  bigint: integerTypes,
  boolean: ["boolean"],
  timestamp: ["bigint", "integer", "timestamp with time zone"],
};

/** A problem with a statement: PostgreSQL cannot plan it, or a column has a type that its field does not accept. */
export type QueryProblem =
  | {
      readonly kind: "plan";
      readonly reason: string;
      /** The zero-based position of the error in the statement, in Unicode characters; null if PostgreSQL reports none. */
      readonly character: number | null;
    }
  | { readonly kind: "type"; readonly column: string; readonly found: string; readonly expected: string };

/**
 * The problems with an operation's statement and its column types. The statement is planned, but no rows are computed. @throws {Error} if the
 * connection fails.
 */
export async function queryProblems(
  { query }: Pick<Queryable, "query">,
  operation: OperationQuery,
  fields: readonly ItemField[],
): Promise<QueryProblem[]> {
  const { text, parameters, columns } = operation;
  const statement = columnTypesStatement(text, columns);
  try {
    const [types = {}] = await query<Record<string, string>>(
      statement,
      parameters.map(() => null),
    );
    return fields.flatMap((field) => typeProblems(field, types[field.name]));
  } catch (error) {
    if (!isStatementRefused(error)) throw error;
    return [{ kind: "plan", reason: reasonOf(error), character: characterOf(error, statement, text) }];
  }
}

const typeProblems = (field: ItemField, type: string | undefined): QueryProblem[] => {
  if (type === undefined || type === "text" || isAccepted(field, type)) return [];
  const expected = `${[...expectedTypes(field), "text"].join(", ")} for ${field.format ?? field.object}`;
  return [{ kind: "type", column: field.name, found: type, expected }];
};

const isAccepted = (field: ItemField, type: string): boolean => expectedTypes(field).includes(type) || (field.list && type.endsWith("[]"));

const expectedTypes = ({ list, format }: ItemField): readonly string[] =>
  list || format === null ? ["json", "jsonb"] : (accepted[format] ?? []);

/** A PostgreSQL error, with the position of its cause in the statement and a hint, if available. */
export interface PostgresError extends Error {
  readonly code: string;
  readonly position?: string;
  readonly hint?: string;
}

/** Whether PostgreSQL rejected the statement itself (error codes, appendix A): its features, values, names, types, privileges or program limits. */
export const isStatementRefused = (error: unknown): error is PostgresError =>
  error instanceof Error && /^(0A|21|22|42|54)/.test(String((error as { code?: unknown }).code));

const reasonOf = ({ message, hint }: PostgresError): string => (hint === undefined ? message : `${message} (${hint.replace(/\.$/, "")})`);

const characterOf = ({ position }: PostgresError, statement: string, text: string): number | null => {
  const before = [...statement.slice(0, statement.indexOf(text))].length;
  const character = Number(position) - 1 - before;
  return character >= 0 && character < [...text].length ? character : null;
};
