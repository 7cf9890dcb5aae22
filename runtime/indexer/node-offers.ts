import type { Capabilities } from "../chain/capabilities.ts";
import { findingsOf } from "../chain/findings.ts";
import type { Queryable } from "../database/database.ts";

/** The names of what a node offers beyond the plain calls. */
export const offersOf = (capabilities: Capabilities): string[] =>
  findingsOf(capabilities)
    .filter(({ offered }) => offered)
    .map(({ feature }) => feature);

/** Keeps what a chain's node offers, as it was found when the indexer began. */
export const recordOffers = async (database: Queryable, chainId: number, offers: readonly string[]): Promise<void> => {
  await database.query("UPDATE chains SET offers = $2 WHERE chain_id = $1", [chainId, [...offers]]);
};
