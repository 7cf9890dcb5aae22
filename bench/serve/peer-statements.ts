import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Database, DatabaseClient } from "../../runtime/database/database.ts";
import { statementNameOf, statementsFolder, valuesOf } from "./bare-statement.ts";
import type { RowCase } from "./row-case.ts";

/** The schema of the functions that PostGraphile serves. */
export const functionSchema = "bench_graphql";

/** A statement of the bare server for servers that decode columns by type. */
export interface PeerStatement {
  readonly name: string;
  /** Its columns are c1, c2, … in PostgreSQL's text format, as the bare server reads them. */
  readonly text: string;
  /** The types of its parameters. */
  readonly parameters: readonly string[];
  readonly columns: number;
}

interface DescribedStatement {
  readonly parameters: readonly string[];
  readonly columns: readonly string[];
}

const boolean = "boolean";

async function describe(client: DatabaseClient, text: string): Promise<DescribedStatement> {
  await client.query(`PREPARE bench_described AS ${text}`);
  const [described] = await client.query<DescribedStatement>(
    `SELECT parameter_types::text[] AS parameters, result_types::text[] AS columns FROM pg_prepared_statements WHERE name = 'bench_described'`,
  );
  await client.query("DEALLOCATE bench_described");
  if (described === undefined) throw new Error(`PostgreSQL does not list the prepared statement: ${text}`);
  return described;
}

/** The statements of rows, each once. */
export function peerStatements(database: Database, cases: readonly RowCase[]): Promise<readonly PeerStatement[]> {
  const names = new Set(cases.map(statementNameOf));
  return database.transaction(async (client) => {
    const statements: PeerStatement[] = [];
    for (const name of names) {
      const text = readFileSync(join(statementsFolder, `${name}.sql`), "utf8").replace(/^--.*\n/gm, "");
      const { parameters, columns } = await describe(client, text);
      const list = columns.map((_, index) => `c${index + 1}`);
      // A boolean that is cast to text is "true", but in the text format it is "t".
      const texts = list.map((column, index) =>
        columns[index] === boolean
          ? `CASE WHEN ${column} THEN 't' WHEN NOT ${column} THEN 'f' END AS ${column}`
          : `${column}::text AS ${column}`,
      );
      statements.push({
        name,
        text: `SELECT ${texts.join(", ")} FROM (${text}) AS bench (${list.join(", ")})`,
        parameters,
        columns: columns.length,
      });
    }
    return statements;
  });
}

const functionOf = (name: string): string => `bench_${name.replaceAll("-", "_")}`;
/** The name that PostGraphile gives a function's field. */
const fieldOf = (name: string): string => `${functionOf(name)}_list`.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** Creates a function with text parameters for each statement. */
export async function createFunctions(database: Database, statements: readonly PeerStatement[]): Promise<void> {
  await database.query(`DROP SCHEMA IF EXISTS ${functionSchema} CASCADE`);
  await database.query(`CREATE SCHEMA ${functionSchema}`);
  for (const { name, text, parameters, columns } of statements) {
    const inputs = parameters.map((_, index) => `p${index + 1} text`).join(", ");
    const outputs = Array.from({ length: columns }, (_, index) => `c${index + 1} text`).join(", ");
    const body = text.replace(/\$(\d+)(::\w+)?/g, (_, number: string) => `(p${number})::${parameters[Number(number) - 1]}`);
    await database.query(
      `CREATE FUNCTION ${functionSchema}.${functionOf(name)}(${inputs}) RETURNS TABLE (${outputs}) LANGUAGE sql STABLE AS $function$ ${body} $function$`,
    );
    // As a list, because PostGraphile 5.1.5 fails with connections for functions that return tables.
    await database.query(`COMMENT ON FUNCTION ${functionSchema}.${functionOf(name)} IS '@behavior -connection +list'`);
  }
}

/** The statement of a row. @throws {Error} if it is not among the described ones. */
export function statementIn(statements: readonly PeerStatement[], rowCase: RowCase): PeerStatement {
  const statement = statements.find(({ name }) => name === statementNameOf(rowCase));
  if (statement === undefined) throw new Error(`The statement of row ${rowCase.row} is not described.`);
  return statement;
}

/** GraphQL request bodies that select all columns of a row's statement, in the order of its paths. */
export function graphqlBodies(rowCase: RowCase, statements: readonly PeerStatement[]): readonly string[] {
  const { name, parameters, columns } = statementIn(statements, rowCase);
  const declared = parameters.map((_, index) => `$p${index + 1}: String!`).join(", ");
  const passed = parameters.map((_, index) => `p${index + 1}: $p${index + 1}`).join(", ");
  const selected = Array.from({ length: columns }, (_, index) => `c${index + 1}`).join(" ");
  const query = `query (${declared}) { rows: ${fieldOf(name)}(${passed}) { ${selected} } }`;
  return valuesOf(rowCase).map((values) =>
    JSON.stringify({ query, variables: Object.fromEntries(values.map((value, index) => [`p${index + 1}`, String(value)])) }),
  );
}
