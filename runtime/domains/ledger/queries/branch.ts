import { type Sql, sql } from "../../../database/sql.ts";

/** The hash of a block on chain $1, which identifies all rows up to it; null if it is not indexed. Served by the primary key. */
export const branchAt = (block: Sql): Sql => sql`(SELECT hash FROM blocks WHERE chain_id = $1 AND number = ${block})`;

/** Whether a block on chain $1 has a given hash. The subquery is uncorrelated, so PostgreSQL evaluates it once. */
export const isOnBranch = (block: Sql, hash: Sql): Sql =>
  sql`EXISTS (SELECT FROM blocks WHERE chain_id = $1 AND number = ${block} AND hash = ${hash})`;
