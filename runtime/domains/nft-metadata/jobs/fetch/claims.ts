import { arrayLiteral } from "../../../../database/array-literal.ts";
import type { CopyType, CopyValue } from "../../../../database/copy.ts";
import type { Database, DatabaseClient } from "../../../../database/database.ts";
import { backoff } from "../../../../lib/async.ts";
import type { NftKey } from "../../../nft/queries/tokens.ts";
import { lockQueue } from "./lock-queue.ts";

/** A token whose metadata one worker has in hand. */
export interface Claim extends NftKey {
  readonly block_number: number;
  /** This one counted. */
  readonly attempts: number;
  /** What the contract said and at which block; null where it is still to be asked. */
  readonly url: string | null;
  readonly asked_at: number | null;
}

/** What one chain's queue is asked with. */
export interface QueueDeps {
  readonly chainId: number;
  readonly database: Database;
  readonly clock: () => Date;
  /** How long a claim holds. */
  readonly leaseMilliseconds: number;
}

/** Tries after which the last failure is kept as the answer. */
export const maxAttempts = 8;
const firstWaitSeconds = 10;
const maxWaitSeconds = 6 * 3_600;

/** Seconds until the next try: four times as long after each, up to six hours. */

const isDue = "run_after <= $2 AND (leased_until IS NULL OR leased_until <= $2)";

/** Takes what a statement finds, as nobody else does at the same moment; what another one is taking is passed over. */
const claim = ({ chainId, database, clock, leaseMilliseconds }: QueueDeps, condition: string, most: number, more: readonly unknown[]) => {
  const now = clock();
  return database.query<Claim>(
    `UPDATE nft_reads r SET leased_until = $3, attempts = attempts + 1 FROM (
       SELECT token, token_id FROM nft_reads WHERE chain_id = $1 AND ${condition} AND ${isDue} ORDER BY run_after LIMIT $4 FOR UPDATE SKIP LOCKED) d
     WHERE r.chain_id = $1 AND r.token = d.token AND r.token_id = d.token_id
     RETURNING r.token, r.token_id, r.standard, r.block_number, r.attempts, r.url, r.asked_at`,
    [chainId, now, new Date(now.getTime() + leaseMilliseconds), most, ...more],
  );
};

/** Tokens whose contract is to be asked at a block. Served by nft_reads_due. */
export const claimUnasked = (deps: QueueDeps, block: number, most: number): Promise<Claim[]> =>
  claim(deps, "host IS NULL AND wanted_block <= $5", most, [block]);

/** Tokens whose document a host has. Served by nft_reads_of_host. */
export const claimOfHost = (deps: QueueDeps, host: string, most: number): Promise<Claim[]> => claim(deps, "host = $5", most, [host]);

/** Whether a contract is to be asked. Served by nft_reads_due. */
export const hasUnasked = async ({ chainId, database, clock }: QueueDeps): Promise<boolean> =>
  (await database.query(`SELECT FROM nft_reads WHERE chain_id = $1 AND host IS NULL AND ${isDue} LIMIT 1`, [chainId, clock()])).length > 0;

/** A host that has tokens waiting, and whether any of them is due. */
export interface WaitingHost {
  readonly host: string;
  readonly is_due: boolean;
}

/** The next hosts after a name, by name; each is a probe of nft_reads_of_host, however many tokens it has. */
export const hostsAfter = ({ chainId, database, clock }: QueueDeps, host: string, most: number): Promise<WaitingHost[]> => {
  const next = (after: string) =>
    `SELECT host FROM nft_reads WHERE chain_id = $1 AND host IS NOT NULL AND host > ${after} ORDER BY chain_id, host LIMIT 1`;
  return database.query<WaitingHost>(
    `WITH RECURSIVE hosts AS ((${next("$3")}) UNION ALL SELECT n.host FROM hosts h CROSS JOIN LATERAL (${next("h.host")}) n)
     SELECT h.host, EXISTS (SELECT FROM nft_reads WHERE chain_id = $1 AND host = h.host AND ${isDue}) AS is_due
     FROM (SELECT host FROM hosts LIMIT $4) h`,
    [chainId, clock(), host, most],
  );
};

/** A claim, and what is to become of its row. */
interface Change {
  readonly claim: Claim;
  readonly values: readonly CopyValue[];
}

/** Changes rows that are in the state in which they were claimed; what was queued anew or taken back meanwhile is left alone. */
const change = async (client: DatabaseClient, chainId: number, set: string, types: readonly CopyType[], changes: readonly Change[]) => {
  const columns: [CopyType, (change: Change) => CopyValue][] = [
    ["bytea", ({ claim }) => claim.token],
    ["numeric", ({ claim }) => claim.token_id],
    ["int8", ({ claim }) => claim.block_number],
    ["int8", ({ claim }) => claim.asked_at],
    ["int4", ({ claim }) => claim.attempts],
    ...types.map((type, index): [CopyType, (change: Change) => CopyValue] => [type, ({ values }) => values[index] ?? null]),
  ];
  await client.query(
    `UPDATE nft_reads r SET ${set} FROM unnest(${columns.map(([type], index) => `$${index + 2}::${type}[]`).join(", ")})
       AS d(token, token_id, block_number, asked_at, attempts, ${types.map((_, index) => `value${index + 1}`).join(", ")})
     WHERE r.chain_id = $1 AND r.token = d.token AND r.token_id = d.token_id AND r.block_number = d.block_number AND r.attempts = d.attempts
       AND r.asked_at IS NOT DISTINCT FROM d.asked_at`,
    [chainId, ...columns.map(([type, of]) => arrayLiteral(changes.map(of), type))],
  );
};

/** Keeps where the documents of claimed tokens are, and lets go of them: whoever fetches of those hosts takes them. The caller holds the lock. */
export const saveAddresses = (
  client: DatabaseClient,
  { chainId }: QueueDeps,
  block: number,
  found: readonly { readonly claim: Claim; readonly url: string; readonly host: string }[],
): Promise<void> =>
  change(
    client,
    chainId,
    "url = value1, host = value2, asked_at = value3, attempts = 0, problem = NULL, leased_until = NULL",
    ["text", "text", "int8"],
    found.map(({ claim, url, host }) => ({ claim, values: [url, host, block] })),
  );

/** Lets go of tokens that failed in a way that may pass, until their next try. */
export const postpone = async (deps: QueueDeps, failed: readonly { readonly claim: Claim; readonly problem: string }[]): Promise<void> => {
  if (failed.length === 0) return;
  const now = deps.clock().getTime();
  const changes = failed.map(({ claim, problem }) => ({
    claim,
    values: [
      new Date(now + backoff(claim.attempts, { base: firstWaitSeconds, max: maxWaitSeconds, factor: 4 }) * 1_000).toISOString(),
      problem,
    ],
  }));
  await deps.database.transaction(async (client) => {
    await lockQueue(client, deps.chainId);
    await change(client, deps.chainId, "run_after = value1::timestamptz, problem = value2, leased_until = NULL", ["text", "text"], changes);
  });
};

/** Lets go of tokens that were not come to, as if they had not been taken. */
export const release = async (deps: QueueDeps, claims: readonly Claim[]): Promise<void> => {
  if (claims.length === 0) return;
  await deps.database.transaction(async (client) => {
    await lockQueue(client, deps.chainId);
    const changes = claims.map((claim) => ({ claim, values: [0] }));
    await change(client, deps.chainId, "attempts = r.attempts - 1, leased_until = NULL", ["int4"], changes);
  });
};
