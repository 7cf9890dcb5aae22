import { createHash } from "node:crypto";
import type { Logger } from "pino";
import type { Database } from "../database/database.ts";
import { redactMessage } from "./redact.ts";

/** How long a list's pages are answered as of one block; asking for a page in the second half prolongs it. */
export const anchorMilliseconds = 15 * 60_000;
const cleanUpMilliseconds = 60_000;
const rowsPerCleanUp = 5000;

export interface Anchor {
  readonly block: number;
  /** Whether half of its time has gone. */
  readonly old: boolean;
}

export interface Anchors {
  find(fingerprint: Buffer, chainId: number): Promise<Anchor | null>;
  /** Fixes the block of a list; `anew` replaces one that stands, else only an expired one is replaced. */
  fix(fingerprint: Buffer, chainId: number, block: number, anew: boolean): Promise<void>;
  /** Deletes expired anchors, a bounded number at a time. */
  cleanUp(): Promise<void>;
  stop(): void;
}

const withoutPage = (name: string, value: unknown): unknown => {
  if (name === "format") return undefined;
  if (name === "page" && typeof value === "object" && value !== null && "size" in value) return { size: value.size };
  return typeof value === "bigint" ? String(value) : value;
};

/** What identifies a list whose pages belong together: the key, the endpoint and every parameter but the page's number and the format. */
export const fingerprintOf = (keyId: number, operation: string, request: unknown): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([keyId, operation, request], withoutPage))
    .digest();

/** The anchors in the database, where all server processes see them, and the indexer, which drops those above a reorganisation. */
export function createAnchors(database: Pick<Database, "query">, logger: Logger): Anchors {
  const cleanUp = async (): Promise<void> => {
    // By the index on expires_at.
    await database.query(
      `DELETE FROM page_anchors WHERE fingerprint IN
         (SELECT fingerprint FROM page_anchors WHERE expires_at <= now() ORDER BY expires_at LIMIT ${rowsPerCleanUp} FOR UPDATE SKIP LOCKED)`,
    );
  };
  const timer = setInterval(() => {
    cleanUp().catch((error: unknown) => {
      logger.warn({ reason: redactMessage(error instanceof Error ? error.message : String(error)) }, "expired anchors were not deleted");
    });
  }, cleanUpMilliseconds);
  timer.unref();

  return {
    async find(fingerprint, chainId) {
      // By the primary key.
      const [row] = await database.query<Anchor>(
        `SELECT block_number AS block, expires_at <= now() + $3 * interval '1 ms' AS old
         FROM page_anchors WHERE fingerprint = $1 AND chain_id = $2 AND expires_at > now()`,
        [fingerprint, chainId, anchorMilliseconds / 2],
      );
      return row ?? null;
    },
    async fix(fingerprint, chainId, block, anew) {
      await database.query(
        `INSERT INTO page_anchors (fingerprint, chain_id, block_number, expires_at) VALUES ($1, $2, $3, now() + $4 * interval '1 ms')
         ON CONFLICT (fingerprint) DO UPDATE
           SET chain_id = excluded.chain_id, block_number = excluded.block_number, expires_at = excluded.expires_at
           WHERE $5 OR page_anchors.expires_at <= now()`,
        [fingerprint, chainId, block, anchorMilliseconds, anew],
      );
    },
    cleanUp,
    stop: () => clearInterval(timer),
  };
}
