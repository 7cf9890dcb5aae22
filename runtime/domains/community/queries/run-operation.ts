import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { OperationQuery } from "../../../declarations/protocol.ts";
import type { Hex } from "../../../lib/hex.ts";
import { RequestError } from "../../../lib/request-error.ts";

/** The values of the parameters that the SQL of an operation may use. */
export interface OperationParameters {
  readonly chain: number;
  readonly wallet: Hex | null;
  readonly pool: Hex | null;
  readonly as_of_block: number;
  readonly limit: number;
  readonly offset: number;
}

/** A row of an operation, by the names of its columns. */
export type OperationRow = Readonly<Record<string, unknown>>;

/** Queries of declared protocols. `reader` is connected as the reader role; undefined if this server has none. */
export const createOperationQueries = (reader: Pick<Database, "query"> | undefined) => ({
  /**
   * The rows of an operation. The statement is the checked text of its protocol; it runs on a connection of the reader role, which can only read, and which
   * the server cancels after its statement timeout. @throws {RequestError} 503 without a reader. @throws {RangeError} if the statement returns more rows
   * than its limit.
   */
  rowsOf: async (query: OperationQuery, parameters: OperationParameters): Promise<readonly OperationRow[]> => {
    if (reader === undefined) throw new RequestError(503, "Community endpoints are not available: this server has no connection for them.");
    const rows = await reader.query<OperationRow>(
      query.text,
      query.parameters.map((name) => encode(parameters[name])),
    );
    const { limit } = parameters;
    if (rows.length > limit)
      throw new RangeError(`${query.file} returned ${rows.length} rows: expected at most :limit, which was ${limit}.`);
    return rows;
  },
});

const encode = (value: string | number | null): Buffer | number | null => (typeof value === "string" ? bytes(value as Hex) : value);
