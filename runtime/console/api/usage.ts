import { z } from "zod";
import type { Queryable } from "../../database/database.ts";
import { identifier, type Sql, sql } from "../../database/sql.ts";
import { renderRecord } from "../../http/csv.ts";
import { renderCell } from "../../http/csv-cell.ts";
import { durationBounds } from "../../http/request-counts.ts";
import { ConsoleError, parseWith } from "../errors.ts";
import type { UsageResponse, UsageRow } from "../responses.ts";

const dayText = "a day such as 2027-01-31";
const day = z.iso.date(dayText);
const keyIdText = "the id of a key";
const filter = z.strictObject({
  from: day,
  to: day,
  key: z
    .string()
    .regex(/^[1-9]\d{0,15}$/, keyIdText)
    .transform(Number)
    .optional(),
  operation: z.string().max(100).optional(),
});

interface Filter {
  readonly from: string;
  readonly to: string;
  readonly key: number | null;
  readonly operation: string | null;
}

const maxDays = 400;
const maxLines = 100_000;
/** Max listed keys and operations; the sums by day include all of them. */
const maxGroups = 500;

/** Parses a request's range of days, key and operation. @throws {ConsoleError} 400 */
export function parseFilter(query: unknown): Filter {
  const { from, to, key = null, operation = null } = parseWith(filter, query);
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
  if (days < 1 || days > maxDays) throw new ConsoleError(400, `Invalid range from ${from} to ${to}: expected 1 to ${maxDays} days.`);
  return { from, to, key, operation };
}

const parametersOf = ({ from, to, key, operation }: Filter): unknown[] => [from, to, key, operation];

/** The rows that a filter selects, as one primary key range for each API key. */
const rowsOf = (table: "credit_usage" | "key_requests"): Sql =>
  sql`api_keys k CROSS JOIN LATERAL (SELECT * FROM ${identifier(table)} WHERE key_id = k.id AND day BETWEEN $1::date AND $2::date AND ($4::text IS NULL OR operation = $4)) u
   WHERE ($3::int8 IS NULL OR k.id = $3)`;

interface Group {
  readonly day: string | null;
  readonly keyId: number | null;
  readonly operation: string | null;
}
interface Credits extends Group {
  readonly hundredths: number;
}
interface Requests extends Group {
  readonly bucket: number;
  readonly requests: number;
  readonly errors: number;
}

const columns = sql`u.day::text AS day, u.key_id AS "keyId", u.operation`;
const idOf = ({ day: date, keyId, operation }: Group): string => date ?? (keyId === null ? `operation ${operation}` : `key ${keyId}`);

interface Sums {
  hundredths: number;
  errors: number;
  readonly counts: number[];
}

/** Usage by day, by key and by operation. */
export async function readUsage({ query }: Pick<Queryable, "query">, usage: Filter): Promise<UsageResponse> {
  const parameters = parametersOf(usage);
  const [credits, requests, labels] = await Promise.all([
    query<Credits>(
      sql`SELECT ${columns}, sum(u.hundredths)::int8 AS hundredths FROM ${rowsOf("credit_usage")}
        GROUP BY GROUPING SETS ((u.day), (u.key_id), (u.operation))`.text,
      parameters,
    ),
    query<Requests>(
      sql`SELECT ${columns}, u.bucket, sum(u.requests)::int8 AS requests, sum(u.errors)::int8 AS errors FROM ${rowsOf("key_requests")}
       GROUP BY GROUPING SETS ((u.day, u.bucket), (u.key_id, u.bucket), (u.operation, u.bucket))`.text,
      parameters,
    ),
    query<{ id: number; label: string }>("SELECT id, label FROM api_keys", []),
  ]);
  const groups = new Map<string, Group & Sums>();
  const groupOf = (row: Group): Sums => {
    const { day: date, keyId, operation } = row;
    const found = groups.get(idOf(row));
    if (found !== undefined) return found;
    const created = {
      day: date,
      keyId,
      operation,
      hundredths: 0,
      errors: 0,
      counts: new Array<number>(durationBounds.length + 1).fill(0),
    };
    groups.set(idOf(row), created);
    return created;
  };
  for (const row of credits) groupOf(row).hundredths += row.hundredths;
  for (const row of requests) {
    const group = groupOf(row);
    group.errors += row.errors;
    group.counts[row.bucket] = (group.counts[row.bucket] ?? 0) + row.requests;
  }
  const sums = [...groups.values()];
  const labelOf = new Map(labels.map(({ id, label }) => [id, label]));
  const byCredits = (rows: readonly UsageRow[]): UsageRow[] =>
    rows.toSorted((left, right) => right.credits - left.credits || right.requests - left.requests).slice(0, maxGroups);
  return {
    days: sums
      .filter((row) => row.day !== null)
      .map((row) => toRow(row.day ?? "", row))
      .sort((left, right) => (left.name < right.name ? -1 : 1)),
    keys: byCredits(
      sums.filter((row) => row.keyId !== null).map((row) => ({ ...toRow(`${row.keyId}`, row), label: labelOf.get(row.keyId ?? 0) ?? "" })),
    ),
    operations: byCredits(sums.filter((row) => row.operation !== null).map((row) => toRow(row.operation ?? "", row))),
  };
}

const toRow = (name: string, { hundredths, errors, counts }: Sums): UsageRow => ({
  name,
  credits: hundredths / 100,
  requests: counts.reduce((sum, count) => sum + count, 0),
  errors,
  p50: quantileOf(counts, 0.5),
  p99: quantileOf(counts, 0.99),
});

/** A quantile in milliseconds, interpolated within its bucket; the last bound for values above it, null if there are no values. */
export function quantileOf(counts: readonly number[], quantile: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = quantile * total;
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    const upper = durationBounds[bucket];
    if (upper === undefined) break;
    if (count > 0 && below + count >= rank) {
      const lower = durationBounds[bucket - 1] ?? 0;
      return Math.round((lower + ((upper - lower) * (rank - below)) / count) * 1e5) / 100;
    }
    below += count;
  }
  return (durationBounds.at(-1) ?? 0) * 1_000;
}

interface Line {
  readonly day: string;
  readonly keyId: number;
  readonly label: string;
  readonly operation: string;
  readonly calls: number;
  readonly hundredths: number;
  readonly errors: number;
  /** The duration buckets, and in `requests` their counts in the same order; null if there are no requests. */
  readonly buckets: readonly number[] | null;
  readonly requests: readonly number[] | null;
}

const csvColumns = ["day", "key", "label", "operation", "successful", "credits", "requests", "errors", "p50_ms", "p99_ms"] as const;

/** Usage as CSV (RFC 4180), one line per day, key and operation. @throws {ConsoleError} 400 if there are too many lines. */
export async function readUsageCsv({ query }: Pick<Queryable, "query">, usage: Filter): Promise<string> {
  const lines = await query<Line>(
    sql`SELECT day::text AS day, key_id AS "keyId", (SELECT label FROM api_keys WHERE id = key_id) AS label, operation,
       coalesce(max(calls), 0)::int8 AS calls, coalesce(max(hundredths), 0)::int8 AS hundredths, coalesce(sum(errors), 0)::int8 AS errors,
       array_agg(bucket) FILTER (WHERE bucket IS NOT NULL) AS buckets, array_agg(requests) FILTER (WHERE bucket IS NOT NULL) AS requests
     FROM (SELECT u.key_id, u.day, u.operation, u.calls, u.hundredths, NULL::int8 AS bucket, NULL::int8 AS requests, NULL::int8 AS errors FROM ${rowsOf("credit_usage")}
       UNION ALL SELECT u.key_id, u.day, u.operation, NULL, NULL, u.bucket, u.requests, u.errors FROM ${rowsOf("key_requests")}) AS both_tables
     GROUP BY day, key_id, operation ORDER BY day, key_id, operation LIMIT ${maxLines + 1}`.text,
    parametersOf(usage),
  );
  if (lines.length > maxLines)
    throw new ConsoleError(
      400,
      `More than ${maxLines} lines from ${usage.from} to ${usage.to}: choose fewer days, or filter by key or operation.`,
    );
  return [csvColumns, ...lines.map(toCells)].map((cells) => renderRecord(cells.map(renderField))).join("");
}

function toCells({ day: date, keyId, label, operation, calls, hundredths, errors, buckets, requests }: Line): (string | number | null)[] {
  const counts = new Array<number>(durationBounds.length + 1).fill(0);
  for (const [position, bucket] of (buckets ?? []).entries()) counts[bucket] = (counts[bucket] ?? 0) + (requests?.[position] ?? 0);
  const { p50, p99, requests: counted } = toRow("", { hundredths, errors, counts });
  return [date, keyId, label, operation, calls, hundredths / 100, counted, errors, p50, p99];
}

const renderField = (value: string | number | null): string => renderCell(value, typeof value === "number" ? "number" : "text");
