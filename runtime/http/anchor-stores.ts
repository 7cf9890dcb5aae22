import type { Logger } from "pino";
import type { Database } from "../database/database.ts";
import type { PrimaryOutage } from "../database/primary-outage.ts";
import { type Anchors, createAnchors } from "./anchors.ts";

/** The databases of anchors. Each anchor is stored with its chain, because the indexer deletes the anchors above a reorganisation. */
export interface AnchorStores {
  readonly all: readonly Pick<Database, "query">[];
  storeOf(chainId: number): Pick<Database, "query">;
  /** Whether each database's primary is lost. */
  readonly outages?: ReadonlyMap<Pick<Database, "query">, PrimaryOutage>;
}

/** Creates anchors that are stored in several databases. */
export function createStoredAnchors({ all, storeOf, outages }: AnchorStores, logger: Logger): Anchors {
  const byStore = new Map(all.map((store) => [store, createAnchors(store, logger, performance, outages?.get(store))]));
  const anchorsOf = (chainId: number): Anchors => {
    const anchors = byStore.get(storeOf(chainId));
    if (anchors === undefined) throw new RangeError(`No database stores the page anchors of chain ${chainId}.`);
    return anchors;
  };
  const allAnchors = [...byStore.values()];
  return {
    find: (fingerprint, chainId, head) => anchorsOf(chainId).find(fingerprint, chainId, head),
    pin: (fingerprint, chainId, block, replace, head) => anchorsOf(chainId).pin(fingerprint, chainId, block, replace, head),
    async cleanUp() {
      await Promise.all(allAnchors.map((anchors) => anchors.cleanUp()));
    },
    stop() {
      for (const anchors of allAnchors) anchors.stop();
    },
  };
}
