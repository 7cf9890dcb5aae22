import { identifier } from "../sql.ts";

/**
 * A statement that returns a checked SELECT's column types, by name, in one row: it plans the SELECT, and computes none of its rows. A constant NULL
 * has the type text.
 */
export const columnTypesStatement = (select: string, columns: readonly string[]): string => {
  const types = columns.map((column) => `pg_typeof(page.${identifier(column)})::text AS ${identifier(column)}`);
  return `SELECT ${types.join(", ")} FROM (VALUES (1)) one LEFT JOIN (\n${select}\n) AS page ON false`;
};
