import { arrayLiteral } from "../../../../database/array-literal.ts";
import { bytes } from "../../../../database/codecs.ts";
import { CopyError } from "../../../../database/copy-text.ts";
import type { DatabaseClient } from "../../../../database/database.ts";
import { upsert } from "../../../../database/upsert.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import type { QueueDeps } from "../../../../jobs/queue.ts";
import type { Claim } from "./claims.ts";
import { lockQueue } from "./lock-queue.ts";
import { attributeColumns, attributeRows, attributeTypes, type MetadataOutcome, metadataRows, metadataTarget } from "./outcome-rows.ts";

/** Stores the outcomes of claims with a URL. A claim is invalid if the index no longer has the block of its contract call. */
export const storeOutcomes = (deps: QueueDeps, outcomes: readonly MetadataOutcome[]): Promise<void> =>
  deps.database.transaction(async (client) => {
    await lockQueue(client, deps.chainId);
    await writeOutcomes(client, deps, outcomes);
  });

/** Whether the index has a block; if so, a rollback waits for the end of the transaction. Served by the primary key. */
export const lockBlock = async (client: DatabaseClient, chainId: number, { number, hash }: IndexedBlock): Promise<boolean> =>
  (await client.query("SELECT FROM blocks WHERE chain_id = $1 AND number = $2 AND hash = $3 FOR KEY SHARE", [chainId, number, bytes(hash)]))
    .length > 0;

/**
 * Writes the outcomes of still valid claims. Tokens that were rolled back, queued again for a later block or stored by another worker are
 * skipped. An outcome that the database cannot store becomes a refusal and does not affect the others. The caller holds the lock.
 */
export const writeOutcomes = async (client: DatabaseClient, deps: QueueDeps, outcomes: readonly MetadataOutcome[]): Promise<void> => {
  if (outcomes.length === 0 || (await tryWrite(client, deps, outcomes))) return;
  for (const outcome of outcomes) {
    if (await tryWrite(client, deps, [outcome])) continue;
    await write(client, deps, [{ ...outcome, tokenUrl: null, result: { refusal: "The metadata cannot be stored." } }]);
  }
};

const tryWrite = async (client: DatabaseClient, deps: QueueDeps, outcomes: readonly MetadataOutcome[]): Promise<boolean> => {
  await client.query("SAVEPOINT outcomes");
  try {
    await write(client, deps, outcomes);
    await client.query("RELEASE SAVEPOINT outcomes");
    return true;
  } catch (error) {
    if (!isCausedByValues(error)) throw error;
    await client.query("ROLLBACK TO SAVEPOINT outcomes");
    return false;
  }
};

/** Whether the values caused an error: an error found before they were sent, a data exception (SQLSTATE class 22), or a program limit (class 54). */
const isCausedByValues = (error: unknown): boolean =>
  error instanceof CopyError || (error instanceof Error && /^(?:22|54)/.test(String((error as { code?: unknown }).code)));

const write = async (client: DatabaseClient, { chainId, clock }: QueueDeps, outcomes: readonly MetadataOutcome[]): Promise<void> => {
  const validKeys = await deleteFromQueue(client, chainId, outcomes);
  const stored = outcomes.filter(({ claim }) => validKeys.has(keyOf(claim)));
  if (stored.length === 0) return;
  await upsert(client, metadataTarget, metadataRows(chainId, clock(), stored));
  // Served by the primary key.
  await client.query(
    `DELETE FROM nft_attributes a USING unnest($2::bytea[], $3::numeric[]) AS d(token, token_id)
     WHERE a.chain_id = $1 AND a.token = d.token AND a.token_id = d.token_id`,
    [chainId, ...keyArrays(stored)],
  );
  await client.copy("nft_attributes", attributeColumns, attributeRows(chainId, stored), attributeTypes);
};

const keyOf = ({ token, token_id }: Pick<Claim, "token" | "token_id">): string => `${token} ${token_id}`;

const keyArrays = (outcomes: readonly MetadataOutcome[]): [string, string] => [
  arrayLiteral(
    outcomes.map(({ claim }) => claim.token),
    "bytea",
  ),
  arrayLiteral(
    outcomes.map(({ claim }) => claim.token_id),
    "numeric",
  ),
];

/** Deletes the queue entries whose claims are still valid, and returns their keys. Served by the primary key. */
const deleteFromQueue = async (client: DatabaseClient, chainId: number, outcomes: readonly MetadataOutcome[]): Promise<Set<string>> => {
  const rows = await client.query<Pick<Claim, "token" | "token_id">>(
    `DELETE FROM nft_reads r USING unnest($2::bytea[], $3::numeric[], $4::int8[], $5::int8[], $6::int8[], $7::text[])
       AS d(token, token_id, block_number, asked_at, read_at, url)
     WHERE r.chain_id = $1 AND r.token = d.token AND r.token_id = d.token_id AND r.block_number = d.block_number AND r.wanted_block <= d.read_at
       AND r.asked_at IS NOT DISTINCT FROM d.asked_at AND r.url IS NOT DISTINCT FROM d.url
     RETURNING r.token, r.token_id`,
    [
      chainId,
      ...keyArrays(outcomes),
      arrayLiteral(
        outcomes.map(({ claim }) => claim.block_number),
        "int8",
      ),
      arrayLiteral(
        outcomes.map(({ claim }) => claim.asked_at),
        "int8",
      ),
      arrayLiteral(
        outcomes.map(({ readAtBlock }) => readAtBlock),
        "int8",
      ),
      arrayLiteral(
        outcomes.map(({ claim }) => claim.url),
        "text",
      ),
    ],
  );
  return new Set(rows.map(keyOf));
};
