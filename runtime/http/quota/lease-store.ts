import type { Database } from "../../database/database.ts";
import type { PerPeriod } from "./lease.ts";
import type { Period } from "./periods.ts";

/** How many seconds a lease is valid. A crashed server's lease reserves credits for this time. */
export const leaseSeconds = 30;

/** A request for a lease. */
export interface LeaseRequest {
  readonly keyId: number;
  /** This process's charges that are not in the usage table yet, in hundredths: in total, on the day, and in its month. */
  readonly pending: { readonly all: number } & Readonly<Record<Period, number>>;
  /** The requested size in hundredths of a credit. */
  readonly wanted: number;
  readonly day: string;
}

/** A lease on top of the pending charges, and the quotas after it; null if the key has no quotas. */
export interface GrantedLease {
  readonly granted: number;
  readonly quota: PerPeriod;
  readonly remaining: PerPeriod;
}

/** This process's leases in the database. */
export interface LeaseStore {
  /** Replaces a key's lease. */
  take(request: LeaseRequest): Promise<GrantedLease | null>;
  /** Returns all of this process's leases. */
  release(): Promise<void>;
}

interface Row {
  readonly granted: number;
  readonly dayQuota: number | null;
  readonly monthQuota: number | null;
  readonly dayLeft: number | null;
  readonly monthLeft: number | null;
}

/**
 * Grants at most half of the remaining credits, so that one server does not reserve a small quota entirely. One statement reads usage and the leases of other
 * servers, and one statement moves charges from a lease to the usage (see usage-ledger.ts): their sum is consistent.
 */
const takeStatement = `WITH usage AS (
    SELECT coalesce(sum(hundredths) FILTER (WHERE day = $5::date), 0)::int8 AS day, coalesce(sum(hundredths), 0)::int8 AS month
    FROM credit_usage
    WHERE key_id = $1 AND day >= date_trunc('month', $5::timestamp)::date AND day < (date_trunc('month', $5::timestamp) + interval '1 month')::date
  ), others AS (
    SELECT coalesce(sum(hundredths), 0)::int8 AS leased FROM credit_leases WHERE key_id = $1 AND holder <> $2 AND expires_at > now()
  ), quota AS (
    SELECT day_quota_hundredths AS day, month_quota_hundredths AS month,
      day_quota_hundredths - usage.day - leased - $7::int8 AS day_left, month_quota_hundredths - usage.month - leased - $8::int8 AS month_left
    FROM api_keys, usage, others
    WHERE id = $1 AND (day_quota_hundredths IS NOT NULL OR month_quota_hundredths IS NOT NULL)
  ), lease AS (
    SELECT quota.*, greatest(0, least($4::int8, (least(day_left, month_left) + 1) / 2)) AS granted FROM quota
  ), deleted AS (
    DELETE FROM credit_leases WHERE key_id = $1 AND holder <> $2 AND expires_at <= now()
  ), stored AS (
    INSERT INTO credit_leases (key_id, holder, hundredths, expires_at)
    SELECT $1, $2, $3::int8 + granted, now() + $6 * interval '1 second' FROM lease
    ON CONFLICT (key_id, holder) DO UPDATE SET hundredths = excluded.hundredths, expires_at = excluded.expires_at
  )
  SELECT granted, day AS "dayQuota", month AS "monthQuota", day_left - granted AS "dayLeft", month_left - granted AS "monthLeft" FROM lease`;

/** Creates the store for a process, which `holder` identifies (a UUID). */
export function createLeaseStore(database: Pick<Database, "query" | "transaction">, holder: string): LeaseStore {
  return {
    take: ({ keyId, pending, wanted, day }) =>
      database.transaction(async (client) => {
        // Serializes a key's leases; the next statement sees those that were committed while this one waited.
        await client.query("SELECT id FROM api_keys WHERE id = $1 FOR NO KEY UPDATE", [keyId]);
        const values = [keyId, holder, pending.all, wanted, day, leaseSeconds, pending.day, pending.month];
        const [row] = await client.query<Row>(takeStatement, values);
        if (row === undefined) return null;
        const { granted, dayQuota, monthQuota, dayLeft, monthLeft } = row;
        return { granted, quota: { day: dayQuota, month: monthQuota }, remaining: { day: dayLeft, month: monthLeft } };
      }),
    release: async () => void (await database.query("DELETE FROM credit_leases WHERE holder = $1", [holder])),
  };
}
