import { bytes } from "../../../../database/codecs.ts";
import { sql } from "../../../../database/sql.ts";
import type { JobContext } from "../../../../jobs/job.ts";
import type { Address } from "../../../../lib/hex.ts";
import { lastHourOf } from "../../queries/spans.ts";

/** The chain's index in the database. */
type Index = Pick<JobContext, "chainId" | "database">;

/** Whether an exchange's hour has a roll-up with the given fingerprint. Served by the primary key. */
export const isRolledUp = async ({ chainId, database }: Index, factory: Address, fingerprint: string, hour: number): Promise<boolean> =>
  (
    await database.query("SELECT FROM exchange_hours WHERE chain_id = $1 AND factory = $2 AND hour = $3 AND fingerprint = $4", [
      chainId,
      bytes(factory),
      hour,
      fingerprint,
    ])
  ).length > 0;

/** The newest day whose last hour is in an hour range and has no roll-up with the given fingerprint. Served by the primary key, one probe per day. */
export const newestMissingDay = async (
  { chainId, database }: Index,
  factory: Address,
  fingerprint: string,
  first: number,
  last: number,
): Promise<number | null> => {
  const rows = await database.query<{ day: number }>(
    sql`SELECT d.day FROM generate_series($4::int4, $5::int4) AS d(day) WHERE d.day * 24 + ${lastHourOf(0)} <= $6 AND NOT EXISTS (
       SELECT FROM exchange_hours h WHERE h.chain_id = $1 AND h.factory = $2 AND h.hour = d.day * 24 + ${lastHourOf(0)} AND h.fingerprint = $3)
     ORDER BY d.day DESC LIMIT 1`,
    [chainId, bytes(factory), fingerprint, Math.floor(first / 24), Math.floor(last / 24), last],
  );
  return rows[0]?.day ?? null;
};
