import type { Database } from "../../database/database.ts";
import { identifier, joinSql, sql } from "../../database/sql.ts";
import type { lendingColumns } from "../../declarations/lending-columns.ts";
import type { ItemField } from "../../declarations/objects/item-field.ts";
import type { Protocol } from "../../declarations/protocol.ts";
import { columnProblems } from "../../domains/community/queries/column-types.ts";
import { lendingEventOf } from "../../domains/community/queries/lending-event.ts";
import { createOperationQueries } from "../../domains/community/queries/run-operation.ts";
import { tableOf } from "../../domains/community/relations.ts";

/** What the test of the SQL of lending events found. */
export interface LendingResult {
  /** Events of all transactions. */
  readonly events: number;
  readonly transactions: number;
  readonly problems: readonly string[];
}

interface Place {
  readonly block: number;
  readonly transaction_index: number;
}

/** Rows of each table whose transactions are tried. */
const maxRows = 3;
/** A place without rows: the statement runs even if the tables are empty. */
const emptyPlace: Place = { block: -1, transaction_index: -1 };

/** Values of `event` and `version` are shown as text, of whichever type they are. */
const formats: Readonly<Record<Exclude<(typeof lendingColumns)[number], "event" | "version">, string>> = {
  log_offset: "integer",
  protocol_address: "address",
  lp_token_address: "address",
  lp_token_amount: "bigint",
  lp_underlying_address: "address",
  exchange_rate: "number",
  token_address_in: "address",
  token_amount_in: "bigint",
  token_address_out: "address",
  token_amount_out: "bigint",
  borrow_rate_mode: "integer",
  borrow_rate: "number",
  on_behalf_of: "address",
  liquidator: "address",
  user: "address",
};
const fields = Object.entries(formats).map(([name, format]): ItemField => ({ name, format, object: null, list: false, nullable: true }));

/** Plans the statement of lending events, compares the types of its columns, and runs it for the newest transactions of each table. Null if there is none. */
export async function tryLending(
  database: Pick<Database, "query">,
  chain: number,
  { id, tables, lending }: Protocol,
): Promise<LendingResult | null> {
  if (lending === null) return null;
  const types = await columnProblems(database, lending, fields).catch((error: unknown) => [
    `The statement cannot be planned: ${messageOf(error)}`,
  ]);
  if (types.length > 0) return { events: 0, transactions: 0, problems: types };
  const { lendingRowsOf } = createOperationQueries(database);
  const places = await placesOf(
    database,
    chain,
    tables.map(({ name }) => tableOf(id, name)),
  );
  let events = 0;
  const problems = new Set<string>();
  for (const place of [...places, emptyPlace]) {
    try {
      events += (await lendingRowsOf(lending, { chain, ...place })).map(lendingEventOf).length;
    } catch (error) {
      problems.add(messageOf(error));
    }
  }
  return { events, transactions: places.length, problems: [...problems] };
}

/** The transactions of the newest rows of tables. */
const placesOf = async ({ query }: Pick<Database, "query">, chain: number, tables: readonly string[]): Promise<Place[]> => {
  const newest = tables.map(
    (table) =>
      sql`(SELECT block_number AS block, transaction_index FROM ${identifier(table)} WHERE chain_id = $1 ORDER BY block_number DESC, log_index DESC LIMIT ${maxRows})`,
  );
  return newest.length === 0 ? [] : query<Place>(joinSql(newest, sql` UNION `), [chain]);
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
