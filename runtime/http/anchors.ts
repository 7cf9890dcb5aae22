import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Logger } from "pino";
import type { Database } from "../database/database.ts";
import { isUnwritable } from "../database/errors.ts";
import { noOutage, type PrimaryOutage } from "../database/primary-outage.ts";
import { plannedOnce, sql } from "../database/sql.ts";
import type { Clock } from "./key-cache.ts";
import { redactMessage } from "./redact.ts";

/** An anchor's lifetime; a page request in its second half renews the anchor. */
export const anchorMilliseconds = 15 * 60_000;
/** How long a process remembers that it stored an anchor. Added to the anchor's lifetime, because it is not stored again during this time. */
const rememberedMilliseconds = 30_000;
const maxRemembered = 20_000;
const cleanUpMilliseconds = 60_000;
const rowsPerCleanUp = 5000;

export interface Anchor {
  readonly block: number;
  /** Whether half of the anchor's lifetime has passed. */
  readonly isOld: boolean;
}

/** The as-of block for requests without an anchor, and the content version; null if it is unknown. */
export interface AnchorHead {
  readonly block: number;
  readonly content: string | null;
}

export interface Anchors {
  find(fingerprint: Buffer, chainId: number, head: AnchorHead): Promise<Anchor | null>;
  /** Stores the block of a list; `replace` overwrites an existing anchor, otherwise only an expired one is overwritten. */
  pin(fingerprint: Buffer, chainId: number, block: number, replace: boolean, head: AnchorHead): Promise<void>;
  /** Deletes a bounded number of expired anchors. */
  cleanUp(): Promise<void>;
  stop(): void;
}

const withoutPage = (name: string, value: unknown): unknown => {
  if (name === "format") return undefined;
  if (name === "page" && typeof value === "object" && value !== null && "size" in value) return { size: value.size };
  return typeof value === "bigint" ? String(value) : value;
};

/** Identifies a list whose pages belong together: a hash of the key, the endpoint and every parameter except page number and format. */
export const fingerprintOf = (keyId: number, operation: string, request: unknown): Buffer =>
  hash("sha256", JSON.stringify([keyId, operation, request], withoutPage), "buffer");

const idOf = (fingerprint: Buffer): string => fingerprint.toString("base64");

const selectAnchor = plannedOnce(sql`SELECT block_number AS block, expires_at <= now() + $3 * interval '1 ms' AS "isOld"
  FROM page_anchors WHERE fingerprint = $1 AND chain_id = $2 AND expires_at > now()`);

// The commit does not wait for the disk: if the database crashes and loses an anchor, its list continues at the head.
const insertAnchor = plannedOnce(sql`INSERT INTO page_anchors (fingerprint, chain_id, block_number, expires_at)
    SELECT $1, $2, $3, now() + $4 * interval '1 ms' FROM (SELECT set_config('synchronous_commit', 'off', true)) AS setting
  ON CONFLICT (fingerprint) DO UPDATE
    SET chain_id = excluded.chain_id, block_number = excluded.block_number, expires_at = excluded.expires_at
    WHERE $5 OR page_anchors.expires_at <= now()`);

/** An anchor at the head, for one content version. */
interface KnownAnchor {
  readonly content: string;
  readonly at: number;
  /** Whether this process stored it; otherwise it may be older, and page 0 stores it again. */
  readonly isStored: boolean;
}

/**
 * Anchors in the database, shared by all server processes; the indexer deletes the ones above a reorganisation. An anchor at the head that this process
 * has stored or read is not read again until the index's content changes; one that it has stored is not stored again either. Until then, other
 * processes can only store the same block.
 */
export function createAnchors(
  database: Pick<Database, "query">,
  logger: Logger,
  clock: Clock = performance,
  outage: PrimaryOutage = noOutage,
): Anchors {
  const cache = new LRUCache<string, KnownAnchor>({ max: maxRemembered });
  const knownAtHead = (id: string, { content }: AnchorHead): KnownAnchor | undefined => {
    const anchor = content === null ? undefined : cache.get(id);
    return anchor !== undefined && anchor.content === content && clock.now() - anchor.at < rememberedMilliseconds ? anchor : undefined;
  };
  const cleanUp = async (): Promise<void> => {
    // Uses the index on expires_at.
    await database.query(
      `DELETE FROM page_anchors WHERE fingerprint IN
         (SELECT fingerprint FROM page_anchors WHERE expires_at <= now() ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)`,
      [rowsPerCleanUp],
    );
  };
  const timer = setInterval(() => {
    cleanUp().catch((error: unknown) => {
      logger.warn({ reason: redactMessage(error instanceof Error ? error.message : String(error)) }, "Deleting expired anchors failed");
    });
  }, cleanUpMilliseconds);
  timer.unref();

  return {
    async find(fingerprint, chainId, head) {
      const id = idOf(fingerprint);
      if (knownAtHead(id, head) !== undefined) return { block: head.block, isOld: false };
      const at = clock.now();
      // Uses the primary key.
      const [row] = await database.query<Anchor>(selectAnchor, [fingerprint, chainId, anchorMilliseconds / 2]);
      if (row === undefined) return null;
      if (row.block === head.block && !row.isOld && head.content !== null) cache.set(id, { content: head.content, at, isStored: false });
      return row;
    },
    async pin(fingerprint, chainId, block, replace, head) {
      const id = idOf(fingerprint);
      const isAtHead = block === head.block;
      if (isAtHead && knownAtHead(id, head)?.isStored === true) return;
      cache.delete(id);
      const at = clock.now();
      const remember = (isStored: boolean): void => {
        if (isAtHead && replace && head.content !== null) cache.set(id, { content: head.content, at, isStored });
      };
      try {
        // If there is no primary or disk space, or this is a standby, nothing is indexed either: pages stay consistent in the meantime, and continue at
        // the head afterwards.
        if (outage.isLost()) return remember(false);
        await database.query(insertAnchor, [fingerprint, chainId, block, anchorMilliseconds + rememberedMilliseconds, replace]);
      } catch (error) {
        if (isUnwritable(error)) return;
        if (outage.isLost()) return remember(false);
        throw error;
      }
      remember(true);
    },
    cleanUp,
    stop: () => clearInterval(timer),
  };
}
