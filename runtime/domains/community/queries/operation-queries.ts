import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { limitRows } from "../../../database/reader/limit-rows.ts";
import { statementName } from "../../../database/sql.ts";
import type { LendingQuery, OperationQuery, QueryParameter } from "../../../declarations/protocol.ts";
import type { Hex } from "../../../lib/hex.ts";
import { RequestError } from "../../../lib/request-error.ts";

type Values = Readonly<Partial<Record<QueryParameter, string | number | null>>>;

/** The parameter values that an operation's SQL may use. */
export interface OperationParameters extends Values {
  readonly chain: number;
  readonly wallet: Hex | null;
  readonly pool: Hex | null;
  readonly as_of_block: number;
  readonly limit: number;
  readonly offset: number;
}

/** The position of a transaction on a chain. */
export interface LendingParameters extends Values {
  readonly chain: number;
  readonly block: number;
  readonly transaction_index: number;
}

/** An operation's row, by column name. */
export type OperationRow = Readonly<Record<string, unknown>>;

/** More lending events than a transaction can have: each costs about 10,000 gas. */
const maxLendingRows = 10_000;

/** Queries of declared protocols. `reader` is connected as the reader role; undefined if this server has none. */
export const createOperationQueries = (reader: Pick<Database, "run"> | undefined) => {
  /**
   * Runs a checked statement as the reader role in one round trip: in a read-only transaction, with the role's time and memory limits. It remains
   * prepared on the connection, because parsing it and expanding views and functions takes a millisecond or more.
   * @throws {RequestError} 503 without a reader. @throws {RangeError} if the statement returns more rows than the limit; the remaining rows are not
   * computed.
   */
  const run = async (query: OperationQuery, values: Values, limit: number): Promise<OperationRow[]> => {
    if (reader === undefined)
      throw new RequestError(503, "Community endpoints are not available: this server has no database connection for them.");
    const parameters = query.parameters.map((name) => encode(values[name] ?? null));
    const text = limitRows(query.text, parameters.length + 1);
    const rows = await reader.run<OperationRow>({
      name: statementName(text),
      text,
      values: [...parameters, limit + 1],
      isPlannedOnce: query.isPlannedOnce,
    });
    if (rows.length > limit) throw new RangeError(`${query.file} returned more rows than its limit of ${limit}.`);
    return rows;
  };
  return {
    /** The rows of an operation. See `run` for errors. */
    rowsOf: async (query: OperationQuery, parameters: OperationParameters): Promise<readonly OperationRow[]> =>
      run(query, parameters, parameters.limit),
    /** The lending events of a transaction. See `run` for errors. */
    lendingRowsOf: async (query: LendingQuery, parameters: LendingParameters): Promise<readonly OperationRow[]> =>
      run(query, parameters, maxLendingRows),
  };
};

const encode = (value: string | number | null): Buffer | number | null => (typeof value === "string" ? bytes(value as Hex) : value);
