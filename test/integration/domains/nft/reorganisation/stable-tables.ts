import type { Database } from "../../../../../runtime/database/database.ts";
import { dump } from "../../../../support/contents.ts";

/** Columns that do not depend on when a contract was read. All columns of unlisted tables are compared. */
const stableColumns: Readonly<Record<string, readonly string[]>> = {
  nft_metadata: ["token", "token_id", "standard", "block_number", "token_url", "refusal", "document", "name", "attributes", "asset_bytes"],
  nft_attributes: ["token", "token_id", "position", "trait", "value", "number"],
  nft_documents: ["token", "metadata_count", "asset_count", "refused_count"],
  nft_traits: ["token", "trait", "entries", "numbers", "without_value", "unique_values"],
  nft_trait_values: ["token", "trait", "value", "tokens", "numbers", "number"],
  allowances: ["owner", "token", "spender", "approved_block", "transaction_index", "log_index", "amount"],
};
/** An index's tables, without values that depend on when a contract was read. */
export const tablesOf = async (database: Database): Promise<Record<string, unknown>> => {
  const tables: Record<string, unknown> = await dump(database);
  delete tables.allowance_periods;
  for (const [table, columns] of Object.entries(stableColumns))
    tables[table] = await database.query(
      `SELECT ${columns.join(", ")} FROM ${table} ORDER BY ${columns.map((_, index) => index + 1).join(", ")}`,
    );
  return tables;
};
