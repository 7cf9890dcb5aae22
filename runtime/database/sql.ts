import { createHash } from "node:crypto";

/** Not exported, so that only this file can create fragments. */
const fragment = Symbol("SQL fragment");

/**
 * SQL text that comes only from source code: fragments of the `sql` tag. The type excludes other strings, so that no value can become part of the text.
 */
export interface Sql {
  readonly text: string;
  /** The text. */
  toString(): string;
  /** Set by `plannedOnce`. */
  readonly isPlannedOnce?: true;
  readonly [fragment]: true;
}

/** A statement ready to be sent: its text, its parameters, and the name under which a connection keeps it prepared. */
export interface Statement<Row extends object = object> {
  readonly name: string | undefined;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether a connection plans it once, as with `plannedOnce`. */
  readonly isPlannedOnce?: true | undefined;
  /** Never set; it only carries the row type. */
  readonly row?: Row;
}

/**
 * SQL composed of other fragments and of integer constants; values are parameters, numbered in the text: `$1`.
 *
 * How to write a statement:
 * - A statement that never changes is a plain string (`query("SELECT …", values)`); outside of transactions it is prepared too.
 * - A statement whose filters, order or columns depend on the call is composed with the query builder (`compose` in compose.ts): it numbers the parameters.
 * - SQL that the builder cannot express (unnest joins, LATERAL, recursive or materialized CTEs, INSERT … SELECT), or that several statements share, is composed
 *   with this tag. The number of shapes must be finite, because each is a prepared statement.
 */
export const sql = (strings: TemplateStringsArray, ...parts: readonly (Sql | number)[]): Sql => {
  let text = strings[0] ?? "";
  parts.forEach((part, index) => {
    text += textOf(part) + (strings[index + 1] ?? "");
  });
  return toSql(text);
};

const comma = sql`, `;

/**
 * A statement whose best plan does not depend on its parameters, such as key probes: a connection plans it once. Other statements are planned for each
 * execution's parameters, which often takes longer than a probe. Inside a transaction there is no difference.
 */
export const plannedOnce = (statement: Sql): Sql => ({ ...statement, isPlannedOnce: true });

/** Empty text, for an omitted optional part. */
export const nothing: Sql = sql``;

/** A column, table or alias that the program chose, as `name` or `alias.name`. @throws {RangeError} if the text is anything else. */
export const identifier = (name: string): Sql => {
  if (!/^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/.test(name))
    throw new RangeError(
      `Invalid SQL identifier ${JSON.stringify(name)}: expected lower-case letters, digits and _, as name or alias.name.`,
    );
  return toSql(name);
};

/** Joins fragments with a separator, by default a comma. */
export const joinSql = (parts: readonly Sql[], separator: Sql = comma): Sql => toSql(parts.map(({ text }) => text).join(separator.text));

/** A list of columns, each preceded by the alias if there is one. */
export const columnList = (names: readonly string[], alias?: string): Sql =>
  joinSql(names.map((name) => identifier(alias === undefined ? name : `${alias}.${name}`)));

function toSql(text: string): Sql {
  return { text, toString: () => text, [fragment]: true };
}

function textOf(part: Sql | number): string {
  if (typeof part !== "number") return part.text;
  if (!Number.isSafeInteger(part)) throw new RangeError(`Invalid SQL constant ${part}: expected an integer.`);
  return String(part);
}

/**
 * Max named statements per process. Each connection prepares them once and keeps them, so this bounds its memory; additional statements are
 * sent unnamed. Ashlar has a few hundred.
 */
const maxNames = 1_000;
const names = new Map<string, string>();

/** A prepared statement's name, the same for the same text; undefined above the max number of names. */
export function statementName(text: string): string | undefined {
  const existing = names.get(text);
  if (existing !== undefined || names.size >= maxNames) return existing;
  // The server truncates names to 63 bytes (NAMEDATALEN), and the driver warns about longer ones.
  const name = `ashlar_${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
  names.set(text, name);
  return name;
}
