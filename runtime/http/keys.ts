import { hash, randomBytes } from "node:crypto";
import type { KeyLimitOverrides, KeyLimits } from "../config/key-limits.ts";
import type { Database } from "../database/database.ts";
import { plannedOnce, sql } from "../database/sql.ts";
import { monotonicMilliseconds } from "../lib/monotonic-clock.ts";
import { accessRules, type GuardedKey, type KeyAccess } from "./key-access.ts";
import type { PerPeriod, Quotas } from "./quota/lease.ts";
import { dayOf } from "./quota/periods.ts";

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
  readonly limits: KeyLimitOverrides;
  readonly dayQuotaHundredths: number | null;
  readonly monthQuotaHundredths: number | null;
  readonly expiresAt: Date | null;
  readonly access: KeyAccess;
}

export interface NewKey {
  readonly label: string;
  readonly creditLimitHundredths?: number | undefined;
  readonly limits?: KeyLimitOverrides | undefined;
  readonly dayQuotaHundredths?: number | undefined;
  readonly monthQuotaHundredths?: number | undefined;
  readonly expiresAt?: Date | undefined;
  readonly access?: KeyAccess | undefined;
}

/** A key's new limits by name. */
export type LimitChanges = { readonly [Name in keyof KeyLimits]?: KeyLimits[Name] | "default" };

/** Changes to a key. Limits that are not listed do not change; `default` removes a limit from the key, so that the configured one applies. */
export interface KeyChange {
  readonly label?: string | undefined;
  readonly creditLimitHundredths?: number | "unlimited" | undefined;
  readonly limits?: LimitChanges | undefined;
  readonly dayQuotaHundredths?: number | "unlimited" | undefined;
  readonly monthQuotaHundredths?: number | "unlimited" | undefined;
  readonly expiresAt?: Date | "never" | undefined;
  /** New rules; an empty list removes a rule, so that it allows everything. */
  readonly access?: KeyAccess | undefined;
}

/** The parts of a key that metering needs. Plain data, which workers send to their primary. */
export interface MeteredKey {
  readonly id: number;
  readonly creditLimitHundredths: number | null;
  /** Usage at the time of the lookup; 0 for an unlimited key. */
  readonly usedHundredths: number;
  /** The start of the lookup, by `monotonicMilliseconds`. */
  readonly lookedUpAt: number;
  /** The limits that differ from the configured ones. */
  readonly limits: KeyLimitOverrides;
  /** Null without quotas. */
  readonly quotas: Quotas | null;
}

/** A key that is not revoked. */
export interface ActiveKey extends MeteredKey, GuardedKey {}

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
  /** A key's stored usage. */
  readUsedHundredths(id: number): Promise<number>;
}

/** The SHA-256 hash that is stored for a key; 108 random bits need neither salt nor a slow hash. */
export const hashKey = (key: string): Buffer => hash("sha256", key, "buffer");

/** A new key: `ckey_` followed by 27 hex digits. */
export const generateKey = (): string => `ckey_${randomBytes(14).toString("hex").slice(0, 27)}`;

// The usage of the month and the leases are read only for keys with quotas: the conditions on outer columns are evaluated first, once.
const selectActive = plannedOnce(sql`SELECT id, credit_limit_hundredths AS "creditLimitHundredths", limits,
    CASE WHEN credit_limit_hundredths IS NULL THEN 0
      ELSE (SELECT coalesce(sum(hundredths), 0) FROM credit_usage WHERE key_id = api_keys.id) END::int8 AS "usedHundredths",
    floor(extract(epoch FROM expires_at) * 1000)::int8 AS "expiresAt", nullif(access, '{}') AS access,
    day_quota_hundredths AS "dayQuota", month_quota_hundredths AS "monthQuota",
    day_quota_hundredths - usage.day - leases.hundredths AS "dayLeft", month_quota_hundredths - usage.month - leases.hundredths AS "monthLeft"
  FROM api_keys,
    LATERAL (
      SELECT coalesce(sum(hundredths) FILTER (WHERE day = $2::date), 0)::int8 AS day, coalesce(sum(hundredths), 0)::int8 AS month
      FROM credit_usage
      WHERE key_id = api_keys.id AND (day_quota_hundredths IS NOT NULL OR month_quota_hundredths IS NOT NULL)
        AND day >= date_trunc('month', $2::timestamp)::date AND day < (date_trunc('month', $2::timestamp) + interval '1 month')::date
    ) AS usage,
    LATERAL (
      SELECT coalesce(sum(hundredths), 0)::int8 AS hundredths
      FROM credit_leases
      WHERE key_id = api_keys.id AND (day_quota_hundredths IS NOT NULL OR month_quota_hundredths IS NOT NULL) AND credit_leases.expires_at > now()
    ) AS leases
  WHERE hash = $1 AND revoked_at IS NULL`);

interface FoundRow extends Omit<ActiveKey, "lookedUpAt" | "quotas"> {
  readonly dayQuota: number | null;
  readonly monthQuota: number | null;
  readonly dayLeft: number | null;
  readonly monthLeft: number | null;
}

const toActiveKey = ({ dayQuota, monthQuota, dayLeft, monthLeft, ...key }: FoundRow, day: string, lookedUpAt: number): ActiveKey => {
  const quota: PerPeriod = { day: dayQuota, month: monthQuota };
  const hasQuota = dayQuota !== null || monthQuota !== null;
  return { ...key, lookedUpAt, quotas: hasQuota ? { quota, remaining: { day: dayLeft, month: monthLeft }, day } : null };
};

/** A column's new value: the number or time in a change, or null. */
const newValueOf = <T>(change: T | "unlimited" | "never" | undefined): T | null =>
  change === undefined || change === "unlimited" || change === "never" ? null : change;

/** API keys in the database; quotas are read for the UTC day of `now`. */
export function createKeys(database: Pick<Database, "query">, now: () => Date = () => new Date()): Keys {
  const insert = async (statement: string, values: readonly unknown[]): Promise<number> => {
    const [row] = await database.query<{ id: number }>(statement, values);
    if (row === undefined) throw new Error("The key was not stored.");
    return row.id;
  };
  return {
    async create({ label, creditLimitHundredths, limits = {}, dayQuotaHundredths, monthQuotaHundredths, expiresAt, access = {} }) {
      const key = generateKey();
      const statement = `INSERT INTO api_keys
          (hash, label, credit_limit_hundredths, limits, day_quota_hundredths, month_quota_hundredths, expires_at, access)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`;
      const rules = Object.fromEntries(Object.entries(access).filter(([, allowed]) => allowed.length > 0));
      const numbers = [dayQuotaHundredths ?? null, monthQuotaHundredths ?? null, expiresAt ?? null];
      const values = [hashKey(key), label, creditLimitHundredths ?? null, JSON.stringify(limits), ...numbers, JSON.stringify(rules)];
      return { id: await insert(statement, values), key };
    },
    async ensure(key, label) {
      const statement = `INSERT INTO api_keys (hash, label) VALUES ($1, $2)
        ON CONFLICT (hash) DO UPDATE SET revoked_at = NULL RETURNING id`;
      return { id: await insert(statement, [hashKey(key), label]) };
    },
    list: () =>
      // Reads credit_usage once, in the order of its primary key.
      database.query<ListedKey>(
        `SELECT id, label, created_at AS "createdAt", revoked_at AS "revokedAt", credit_limit_hundredths AS "creditLimitHundredths", limits,
           day_quota_hundredths AS "dayQuotaHundredths", month_quota_hundredths AS "monthQuotaHundredths", expires_at AS "expiresAt", access,
           coalesce(used, 0)::int8 AS "usedHundredths", coalesce(calls, 0)::int8 AS calls
         FROM api_keys LEFT JOIN (SELECT key_id, sum(hundredths) AS used, sum(calls) AS calls FROM credit_usage GROUP BY key_id) AS usage
           ON usage.key_id = id
         ORDER BY id`,
      ),
    async update(id, { label, creditLimitHundredths, limits = {}, dayQuotaHundredths, monthQuotaHundredths, expiresAt, access = {} }) {
      const removed = Object.keys(limits).filter((name) => limits[name as keyof typeof limits] === "default");
      const set = Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== "default"));
      const rows = await database.query(
        `UPDATE api_keys SET label = coalesce($2, label), credit_limit_hundredths = CASE WHEN $3 THEN $4 ELSE credit_limit_hundredths END,
           limits = (limits || $5::jsonb) - $6::text[],
           day_quota_hundredths = CASE WHEN $7 THEN $8 ELSE day_quota_hundredths END,
           month_quota_hundredths = CASE WHEN $9 THEN $10 ELSE month_quota_hundredths END,
           expires_at = CASE WHEN $11 THEN $12 ELSE expires_at END,
           access = (access || $13::jsonb) - $14::text[]
         WHERE id = $1 AND revoked_at IS NULL RETURNING id`,
        [
          id,
          label ?? null,
          creditLimitHundredths !== undefined,
          newValueOf(creditLimitHundredths),
          JSON.stringify(set),
          removed,
          dayQuotaHundredths !== undefined,
          newValueOf(dayQuotaHundredths),
          monthQuotaHundredths !== undefined,
          newValueOf(monthQuotaHundredths),
          expiresAt !== undefined,
          newValueOf(expiresAt),
          JSON.stringify(access),
          accessRules.filter((rule) => access[rule]?.length === 0),
        ],
      );
      return rows.length > 0;
    },
    async revoke(id) {
      const rows = await database.query("UPDATE api_keys SET revoked_at = now() WHERE id = $1 AND revoked_at IS NULL RETURNING id", [id]);
      return rows.length > 0;
    },
    async find(hash) {
      // Uses the unique index on hash. The sums use the primary key of credit_usage, and are read only for keys with a limit or quotas.
      const lookedUpAt = monotonicMilliseconds();
      const day = dayOf(now());
      const [row] = await database.query<FoundRow>(selectActive, [hash, day]);
      return row === undefined ? null : toActiveKey(row, day, lookedUpAt);
    },
    async readUsedHundredths(id) {
      const [row] = await database.query<{ used: number }>(
        "SELECT coalesce(sum(hundredths), 0)::int8 AS used FROM credit_usage WHERE key_id = $1",
        [id],
      );
      return row?.used ?? 0;
    },
  };
}
