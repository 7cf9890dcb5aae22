import type { QueryScope } from "../../../runtime/declarations/sql/check-query.ts";

/** An operation of a protocol with the tables `deposits` and `share_price`. */
export const scope: QueryScope = {
  schema: "cq_vaults",
  functions: ["share_price_at"],
  tables: ["deposits", "deposits_latest", "share_price", "contracts"],
  parameters: ["chain", "wallet", "as_of_block", "limit", "offset"],
  columns: ["owner", "amount"],
};

const where = "WHERE chain_id = :chain AND owner = :wallet AND block_number <= :as_of_block";
const page = "ORDER BY owner LIMIT :limit OFFSET :offset";

/** A valid query that contains an expression, a source and a condition. */
export const queryWith = ({ amount = "assets", from = "deposits", and = "true", before = "", after = "" } = {}): string =>
  `${before}SELECT owner, ${amount} AS amount\nFROM ${from}\n${where}\n  AND (${and})\n${page}${after}`;
