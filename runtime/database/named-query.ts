import type pg from "pg";
import { type Parameter, parametersOf } from "./parameter-text.ts";

/** A statement with the name under which connections keep it prepared. */
export interface NamedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A statement's result columns on one connection. */
interface ResultShape {
  readonly columns: readonly { readonly name: string; readonly parse: (text: string) => unknown }[];
  /** A row of nulls that each row is copied from, so that it has all columns from the start. */
  readonly empty: Row;
}

type Row = Record<string, unknown>;

/** Server messages (PostgreSQL, section "Message Formats"), as the driver decodes them. */
interface RowDescription {
  readonly fields: readonly pg.FieldDef[];
}
interface DataRow {
  readonly fields: readonly (string | null)[];
}

const withoutColumns: ResultShape = { columns: [], empty: {} };
const shapes = new WeakMap<pg.Connection, Map<string, ResultShape>>();

function shapesOf(connection: pg.Connection): Map<string, ResultShape> {
  const existing = shapes.get(connection) ?? new Map<string, ResultShape>();
  shapes.set(connection, existing);
  return existing;
}

/**
 * Runs a named statement. The driver would request a description of the result, and choose its column parsers, for each execution. A
 * description is valid as long as the prepared statement: if its columns change, the server refuses to execute it (SQLSTATE 0A000).
 */
export function runNamed<R extends object>(client: pg.ClientBase, statement: NamedStatement): Promise<R[]> {
  const parameters = parametersOf(statement.values);
  // The driver converts other values, such as dates.
  if (parameters === null) return client.query<R>({ ...statement, values: [...statement.values] }).then(({ rows }) => rows);
  return new Promise((resolve, reject) => {
    client.query(new NamedQuery<R>(client, statement, parameters, resolve, reject));
  });
}

/** A class, because each statement creates one: the driver calls its methods for server messages. */
class NamedQuery<R extends object> {
  /** The driver marks the text as prepared under the name. */
  readonly name: string;
  readonly text: string;
  readonly #client: pg.ClientBase;
  readonly #parameters: Parameter[];
  readonly #resolve: (rows: R[]) => void;
  readonly #reject: (error: unknown) => void;
  readonly #rows: Row[] = [];
  #shape: ResultShape | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(
    client: pg.ClientBase,
    { name, text }: NamedStatement,
    parameters: Parameter[],
    resolve: (rows: R[]) => void,
    reject: (error: unknown) => void,
  ) {
    this.name = name;
    this.text = text;
    this.#client = client;
    this.#parameters = parameters;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: pg.Connection): void {
    this.#shape = shapesOf(connection).get(this.name);
    const { stream } = connection;
    stream.cork();
    if (!isParsed(connection, this.name)) connection.parse({ name: this.name, text: this.text, types: [] }, true);
    connection.bind({ statement: this.name, values: this.#parameters }, true);
    if (this.#shape === undefined) connection.describe({ type: "P" }, true);
    connection.execute({}, true);
    connection.sync();
    stream.uncork();
  }

  handleRowDescription({ fields }: RowDescription): void {
    const columns = fields.map(({ name, dataTypeID }) => ({ name, parse: this.#client.getTypeParser(dataTypeID, "text") }));
    this.#shape = { columns, empty: Object.fromEntries(columns.map(({ name }) => [name, null])) };
  }

  handleDataRow({ fields }: DataRow): void {
    if (this.#failure !== undefined) return;
    const { columns, empty } = this.#shape ?? withoutColumns;
    const row = { ...empty };
    try {
      for (let index = 0; index < columns.length; index += 1) {
        const [column, text] = [columns[index], fields[index]];
        if (column !== undefined && text !== undefined && text !== null) row[column.name] = column.parse(text);
      }
      this.#rows.push(row);
    } catch (error) {
      // The rest of the result must still be read.
      this.#failure = { error };
    }
  }

  handleReadyForQuery(connection: pg.Connection): void {
    shapesOf(connection).set(this.name, this.#shape ?? withoutColumns);
    if (this.#failure !== undefined) this.#reject(this.#failure.error);
    else this.#resolve(this.#rows as R[]);
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
}

/** Whether the connection has prepared a statement with this name; the driver's types omit `parsedStatements`. */
function isParsed(connection: pg.Connection, name: string): boolean {
  if (!("parsedStatements" in connection)) return false;
  const { parsedStatements } = connection;
  return typeof parsedStatements === "object" && parsedStatements !== null && name in parsedStatements;
}
