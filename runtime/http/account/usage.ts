import type { Database } from "../../database/database.ts";
import type { ActiveKey } from "../keys.ts";
import { dayOf, type Period, resetOf } from "../quota/periods.ts";

/** A key's usage in a period, in credits; `quota` is null without one. */
interface PeriodUsage {
  readonly quota: number | null;
  readonly used: number;
  readonly calls: number;
  readonly resets_at: string;
}

/** The response of `/account/usage`. */
export interface AccountUsage {
  readonly day: PeriodUsage;
  readonly month: PeriodUsage;
  readonly expires_at: string | null;
  readonly items: readonly {
    readonly operation: string;
    readonly day_calls: number;
    readonly day_credits: number;
    readonly month_calls: number;
    readonly month_credits: number;
  }[];
}

interface Row {
  readonly operation: string;
  readonly dayCalls: number;
  readonly day: number;
  readonly monthCalls: number;
  readonly month: number;
}

/** A key's stored usage in the month that contains a day, by operation: a primary key range. */
const usageStatement = `SELECT operation,
    coalesce(sum(calls) FILTER (WHERE day = $2::date), 0)::int8 AS "dayCalls",
    coalesce(sum(hundredths) FILTER (WHERE day = $2::date), 0)::int8 AS day,
    sum(calls)::int8 AS "monthCalls", sum(hundredths)::int8 AS month
  FROM credit_usage
  WHERE key_id = $1 AND day >= date_trunc('month', $2::timestamp)::date AND day < (date_trunc('month', $2::timestamp) + interval '1 month')::date
  GROUP BY operation
  ORDER BY operation`;

const sumOf = (rows: readonly Row[], column: Exclude<keyof Row, "operation">): number => rows.reduce((sum, row) => sum + row[column], 0);

/** Reads a key's usage in the day and month that contain a time. */
export async function readAccountUsage(
  database: Pick<Database, "query">,
  { id, quotas, expiresAt }: Pick<ActiveKey, "id" | "quotas" | "expiresAt">,
  at: Date,
): Promise<AccountUsage> {
  const rows = await database.query<Row>(usageStatement, [id, dayOf(at)]);
  const usageOf = (period: Period): PeriodUsage => {
    const quota = quotas?.quota[period] ?? null;
    return {
      quota: quota === null ? null : quota / 100,
      used: sumOf(rows, period) / 100,
      calls: sumOf(rows, `${period}Calls`),
      resets_at: resetOf(period, at).toISOString(),
    };
  };
  return {
    day: usageOf("day"),
    month: usageOf("month"),
    expires_at: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    items: rows.map(({ operation, dayCalls, day, monthCalls, month }) => ({
      operation,
      day_calls: dayCalls,
      day_credits: day / 100,
      month_calls: monthCalls,
      month_credits: month / 100,
    })),
  };
}
