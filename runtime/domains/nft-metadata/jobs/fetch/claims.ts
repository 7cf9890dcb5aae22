import type { DatabaseClient } from "../../../../database/database.ts";
import { type Sql, sql } from "../../../../database/sql.ts";
import { createQueue, type QueueDeps } from "../../../../jobs/queue.ts";
import type { NftKey } from "../../../nft/queries/tokens.ts";
import { lockQueue } from "./lock-queue.ts";

/** A queued token that one worker has claimed. */
export interface Claim extends NftKey {
  readonly block_number: number;
  /** The number of attempts, including the current one. */
  readonly attempts: number;
  /** The URL that the contract returned; `asked_at` is the block of that call. Both are null until the contract is read. */
  readonly url: string | null;
  readonly asked_at: number | null;
}

/** Max attempts. The failure of the last one is stored as the outcome. */
export const maxAttempts = 8;

/** The queue of tokens to read. Each wait between attempts is four times the previous one, up to six hours. */
const queue = createQueue<Claim>({
  table: "nft_reads",
  key: { token: "bytea", token_id: "numeric" },
  version: { block_number: "int8", asked_at: "int8" },
  columns: ["standard", "url"],
  storesProblem: true,
  leaseColumn: "leased_until",
  backoff: { base: 10_000, max: 6 * 3_600_000, factor: 4 },
});

/** Claims tokens for contract calls as of a block. Served by nft_reads_due. */
export const claimDueCalls = (deps: QueueDeps, block: number, max: number): Promise<Claim[]> =>
  queue.claim(deps, sql`host IS NULL AND wanted_block <= $5`, max, [block]);

/** Claims tokens with documents on a host. Served by nft_reads_of_host. */
export const claimForHost = (deps: QueueDeps, host: string, max: number): Promise<Claim[]> =>
  queue.claim(deps, sql`host = $5`, max, [host]);

/** Whether a contract call is due. Served by nft_reads_due. */
export const hasDueCalls = async ({ chainId, database, clock }: QueueDeps): Promise<boolean> =>
  (await database.query(sql`SELECT FROM nft_reads WHERE chain_id = $1 AND host IS NULL AND ${queue.isDue} LIMIT 1`, [chainId, clock()]))
    .length > 0;

/** A host with queued tokens, and whether any of them is due. */
export interface WaitingHost {
  readonly host: string;
  readonly is_due: boolean;
}

/** The next hosts after a given one, by name. Each takes one probe of nft_reads_of_host, regardless of its number of tokens. */
export const hostsAfter = ({ chainId, database, clock }: QueueDeps, host: string, max: number): Promise<WaitingHost[]> => {
  const next = (after: Sql) =>
    sql`SELECT host FROM nft_reads WHERE chain_id = $1 AND host IS NOT NULL AND host > ${after} ORDER BY chain_id, host LIMIT 1`;
  return database.query<WaitingHost>(
    sql`WITH RECURSIVE hosts AS ((${next(sql`$3`)}) UNION ALL SELECT n.host FROM hosts h CROSS JOIN LATERAL (${next(sql`h.host`)}) n)
     SELECT h.host, EXISTS (SELECT FROM nft_reads WHERE chain_id = $1 AND host = h.host AND ${queue.isDue}) AS is_due
     FROM (SELECT host FROM hosts LIMIT $4) h`,
    [chainId, clock(), host, max],
  );
};

/** Stores the URLs of claimed tokens and releases them to be fetched by host. The caller holds the lock. */
export const storeUrls = (
  client: DatabaseClient,
  { chainId }: QueueDeps,
  block: number,
  located: readonly { readonly claim: Claim; readonly url: string; readonly host: string }[],
): Promise<void> =>
  queue.update(
    client,
    chainId,
    sql`url = value1, host = value2, asked_at = value3, attempts = 0, problem = NULL, leased_until = NULL`,
    ["text", "text", "int8"],
    located.map(({ claim, url, host }) => ({ entry: claim, values: [url, host, block] })),
  );

/** Postpones tokens to their next attempt after a temporary failure. */
export const postpone = async (deps: QueueDeps, failed: readonly { readonly claim: Claim; readonly problem: string }[]): Promise<void> => {
  if (failed.length === 0) return;
  await deps.database.transaction(async (client) => {
    await lockQueue(client, deps.chainId);
    await queue.postpone(
      client,
      deps,
      failed.map(({ claim: entry, problem }) => ({ entry, problem })),
    );
  });
};

/** Releases unprocessed tokens without counting the attempt. */
export const release = async (deps: QueueDeps, claims: readonly Claim[]): Promise<void> => {
  if (claims.length === 0) return;
  await deps.database.transaction(async (client) => {
    await lockQueue(client, deps.chainId);
    await queue.release(client, deps, claims);
  });
};
