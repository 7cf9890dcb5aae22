import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { Database } from "../database/database.ts";
import { plannedOnce, sql } from "../database/sql.ts";
import { redactMessage } from "./redact.ts";

/** The lifetime of an anchor; a page request in the second half of it renews the anchor. */
export const anchorMilliseconds = 15 * 60_000;
const cleanUpMilliseconds = 60_000;
const rowsPerCleanUp = 5000;

export interface Anchor {
  readonly block: number;
  /** Whether half of the anchor's lifetime has passed. */
  readonly old: boolean;
}

export interface Anchors {
  find(fingerprint: Buffer, chainId: number): Promise<Anchor | null>;
  /** Stores the block of a list; `replace` overwrites an existing anchor, otherwise only an expired one is overwritten. */
  pin(fingerprint: Buffer, chainId: number, block: number, replace: boolean): Promise<void>;
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
  createHash("sha256")
    .update(JSON.stringify([keyId, operation, request], withoutPage))
    .digest();

const selectAnchor = plannedOnce(sql`SELECT block_number AS block, expires_at <= now() + $3 * interval '1 ms' AS old
  FROM page_anchors WHERE fingerprint = $1 AND chain_id = $2 AND expires_at > now()`);

// The commit does not wait for the disk: after a crash of the database, the list of a lost anchor continues at the head.
const insertAnchor = plannedOnce(sql`INSERT INTO page_anchors (fingerprint, chain_id, block_number, expires_at)
    SELECT $1, $2, $3, now() + $4 * interval '1 ms' FROM (SELECT set_config('synchronous_commit', 'off', true)) AS setting
  ON CONFLICT (fingerprint) DO UPDATE
    SET chain_id = excluded.chain_id, block_number = excluded.block_number, expires_at = excluded.expires_at
    WHERE $5 OR page_anchors.expires_at <= now()`);

/** Anchors in the database, shared by all server processes; the indexer deletes those above a reorganisation. */
export function createAnchors(database: Pick<Database, "query">, logger: Logger): Anchors {
  const cleanUp = async (): Promise<void> => {
    // By the index on expires_at.
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
    async find(fingerprint, chainId) {
      // By the primary key.
      const [row] = await database.query<Anchor>(selectAnchor, [fingerprint, chainId, anchorMilliseconds / 2]);
      return row ?? null;
    },
    async pin(fingerprint, chainId, block, replace) {
      await database.query(insertAnchor, [fingerprint, chainId, block, anchorMilliseconds, replace]);
    },
    cleanUp,
    stop: () => clearInterval(timer),
  };
}
