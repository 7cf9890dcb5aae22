import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { LendingQuery, OperationQuery, QueryParameter } from "../../../declarations/protocol.ts";
import type { Hex } from "../../../lib/hex.ts";
import { RequestError } from "../../../lib/request-error.ts";

type Values = Readonly<Partial<Record<QueryParameter, string | number | null>>>;

/** The values of the parameters that the SQL of an operation may use. */
export interface OperationParameters extends Values {
  readonly chain: number;
  readonly wallet: Hex | null;
  readonly pool: Hex | null;
  readonly as_of_block: number;
  readonly limit: number;
  readonly offset: number;
}

/** The place of a transaction on a chain. */
export interface LendingParameters extends Values {
  readonly chain: number;
  readonly block: number;
  readonly transaction_index: number;
}

/** A row of an operation, by the names of its columns. */
export type OperationRow = Readonly<Record<string, unknown>>;

/** Queries of declared protocols. `reader` is connected as the reader role; undefined if this server has none. */
export const createOperationQueries = (reader: Pick<Database, "query"> | undefined) => {
  /** Runs a checked statement on a connection of the reader role, which can only read, and which the server cancels after its statement timeout. */
  const run = (query: OperationQuery, values: Values): Promise<OperationRow[]> => {
    if (reader === undefined) throw new RequestError(503, "Community endpoints are not available: this server has no connection for them.");
    return reader.query<OperationRow>(
      query.text,
      query.parameters.map((name) => encode(values[name] ?? null)),
    );
  };
  return {
    /** The rows of an operation. @throws {RequestError} 503 without a reader. @throws {RangeError} if the statement returns more rows than its limit. */
    rowsOf: async (query: OperationQuery, parameters: OperationParameters): Promise<readonly OperationRow[]> => {
      const rows = await run(query, parameters);
      const { limit } = parameters;
      if (rows.length > limit)
        throw new RangeError(`${query.file} returned ${rows.length} rows: expected at most :limit, which was ${limit}.`);
      return rows;
    },
    /** The lending events of a transaction. @throws {RequestError} 503 without a reader. */
    lendingRowsOf: async (query: LendingQuery, parameters: LendingParameters): Promise<readonly OperationRow[]> => run(query, parameters),
  };
};

const encode = (value: string | number | null): Buffer | number | null => (typeof value === "string" ? bytes(value as Hex) : value);
