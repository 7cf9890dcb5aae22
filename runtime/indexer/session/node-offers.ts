import type { Capabilities } from "../../chain/capabilities.ts";
import { findingsOf } from "../../chain/findings.ts";
import type { Queryable } from "../../database/database.ts";

/** The names of what a node offers beyond the plain calls. */
const offersOf = (capabilities: Capabilities): string[] =>
  findingsOf(capabilities)
    .filter(({ offered }) => offered)
    .map(({ feature }) => feature);

/** Keeps what a chain's node offers, as it was found when the indexer began. */
export const recordOffers = async (database: Queryable, chainId: number, capabilities: Capabilities): Promise<void> => {
  const { batchSize, traces } = capabilities;
  await database.query("UPDATE chains SET offers = $2, batch_size = $3, traces_by = $4 WHERE chain_id = $1", [
    chainId,
    offersOf(capabilities),
    batchSize,
    traces,
  ]);
};
