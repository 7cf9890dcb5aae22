import { hash, randomBytes } from "node:crypto";
import type { KeyLimits, OwnKeyLimits } from "../config/key-limits.ts";
import type { Database } from "../database/database.ts";
import { plannedOnce, sql } from "../database/sql.ts";
import { monotonicMilliseconds } from "../lib/monotonic-clock.ts";

/** A listed key, without the secret, which is not stored. */
export interface ListedKey {
  readonly id: number;
  readonly label: string;
  readonly createdAt: Date;
  readonly revokedAt: Date | null;
  /** Hundredths of a credit; null if the key is unlimited. */
  readonly creditLimitHundredths: number | null;
  readonly usedHundredths: number;
  readonly calls: number;
  /** The limits that differ from the configured ones. */
  readonly limits: OwnKeyLimits;
}

export interface NewKey {
  readonly label: string;
  readonly creditLimitHundredths?: number | undefined;
  readonly limits?: OwnKeyLimits | undefined;
}

/** New limits of a key by name. */
export type LimitChanges = { readonly [Name in keyof KeyLimits]?: KeyLimits[Name] | "default" };

/** Changes of a key. Limits that are not named are kept; `default` removes a limit of the key, so that the configured one applies. */
export interface KeyChange {
  readonly label?: string | undefined;
  readonly creditLimitHundredths?: number | "unlimited" | undefined;
  readonly limits?: LimitChanges | undefined;
}

/** A key that is not revoked. */
export interface ActiveKey {
  readonly id: number;
  readonly creditLimitHundredths: number | null;
  /** Usage at the time of the lookup; 0 for an unlimited key. */
  readonly usedHundredths: number;
  /** The start of the lookup, by `monotonicMilliseconds`. */
  readonly lookedUpAt: number;
  /** The limits that differ from the configured ones. */
  readonly limits: OwnKeyLimits;
}

export interface Keys {
  /** Creates a key; only this call ever returns it. */
  create(key: NewKey): Promise<{ readonly id: number; readonly key: string }>;
  /** Stores a key, or reactivates it if it was revoked. */
  ensure(key: string, label: string): Promise<{ readonly id: number }>;
  list(): Promise<readonly ListedKey[]>;
  /** Changes an active key; false if there is none. */
  update(id: number, change: KeyChange): Promise<boolean>;
  /** Revokes a key; true if it was active. */
  revoke(id: number): Promise<boolean>;
  /** The active key with this hash; null if there is none. */
  find(hash: Buffer): Promise<ActiveKey | null>;
  /** The stored usage of a key. */
  usedHundredths(id: number): Promise<number>;
}

/** The SHA-256 hash that is stored for a key; 108 random bits need neither salt nor a slow hash. */
export const hashKey = (key: string): Buffer => hash("sha256", key, "buffer");

/** A new key: `ckey_` followed by 27 hex digits. */
export const newKey = (): string => `ckey_${randomBytes(14).toString("hex").slice(0, 27)}`;

const selectActive = plannedOnce(sql`SELECT id, credit_limit_hundredths AS "creditLimitHundredths", limits,
    CASE WHEN credit_limit_hundredths IS NULL THEN 0
      ELSE (SELECT coalesce(sum(hundredths), 0) FROM credit_usage WHERE key_id = api_keys.id) END::int8 AS "usedHundredths"
  FROM api_keys WHERE hash = $1 AND revoked_at IS NULL`);

/** API keys in the database. */
export function createKeys(database: Pick<Database, "query">): Keys {
  const insert = async (statement: string, values: readonly unknown[]): Promise<number> => {
    const [row] = await database.query<{ id: number }>(statement, values);
    if (row === undefined) throw new Error("The key was not stored.");
    return row.id;
  };
  return {
    async create({ label, creditLimitHundredths, limits = {} }) {
      const key = newKey();
      const statement = "INSERT INTO api_keys (hash, label, credit_limit_hundredths, limits) VALUES ($1, $2, $3, $4) RETURNING id";
      return { id: await insert(statement, [hashKey(key), label, creditLimitHundredths ?? null, JSON.stringify(limits)]), key };
    },
    async ensure(key, label) {
      const statement = `INSERT INTO api_keys (hash, label) VALUES ($1, $2)
        ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL RETURNING id`;
      return { id: await insert(statement, [hashKey(key), label]) };
    },
    list: () =>
      // Reads credit_usage once, by its primary key's order.
      database.query<ListedKey>(
        `SELECT id, label, created_at AS "createdAt", revoked_at AS "revokedAt", credit_limit_hundredths AS "creditLimitHundredths", limits,
           coalesce(used, 0)::int8 AS "usedHundredths", coalesce(calls, 0)::int8 AS calls
         FROM api_keys LEFT JOIN (SELECT key_id, sum(hundredths) AS used, sum(calls) AS calls FROM credit_usage GROUP BY key_id) AS usage
           ON usage.key_id = id
         ORDER BY id`,
      ),
    async update(id, { label, creditLimitHundredths, limits = {} }) {
      const removed = Object.keys(limits).filter((name) => limits[name as keyof typeof limits] === "default");
      const set = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== "default"));
      const rows = await database.query(
        `UPDATE api_keys SET label = coalesce($2, label), credit_limit_hundredths = CASE WHEN $3 THEN $4 ELSE credit_limit_hundredths END,
           limits = (limits || $5::jsonb) - $6::text[]
         WHERE id = $1 AND revoked_at IS NULL RETURNING id`,
        [
          id,
          label ?? null,
          creditLimitHundredths !== undefined,
          creditLimitHundredths === "unlimited" ? null : (creditLimitHundredths ?? null),
          JSON.stringify(set),
          removed,
        ],
      );
      return rows.length > 0;
    },
    async revoke(id) {
      const rows = await database.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id", [id]);
      return rows.length > 0;
    },
    async find(hash) {
      // By the unique index on hash; the sum, only for keys with a limit, by the primary key of credit_usage.
      const lookedUpAt = monotonicMilliseconds();
      const [row] = await database.query<Omit<ActiveKey, "lookedUpAt">>(selectActive, [hash]);
      return row === undefined ? null : { ...row, lookedUpAt };
    },
    async usedHundredths(id) {
      const [row] = await database.query<{ used: number }>(
        "SELECT coalesce(sum(hundredths), 0)::int8 AS used FROM credit_usage WHERE key_id = $1",
        [id],
      );
      return row?.used ?? 0;
    },
  };
}
