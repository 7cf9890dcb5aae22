import { z } from "zod";
import { type DatabaseNameOfChain, isStoredIn } from "../../config/database-config.ts";
import { isUnavailable } from "../../database/errors.ts";
import { type IndexedChainRow, readIndexState, readIndexStates } from "../../domains/chains/queries/index-state.ts";
import { createLedgerQueries } from "../../domains/ledger/queries/index.ts";
import type { Address } from "../../lib/hex.ts";
import { readChainDetails } from "../../operator/chain-details.ts";
import { type QueueName, queueTables, refreshMetadata, retryJobs } from "../../operator/jobs.ts";
import { pauseChain, resumeChain } from "../../operator/pause.ts";
import { ConsoleError, parseWith } from "../errors.ts";
import type { ChainDetails, ChainItem, ChainsResponse } from "../responses.ts";
import type { ChainStore, StoredChain } from "../stored-chain.ts";
import type { ChainTasks } from "../tasks.ts";

/** The databases, the control database first, and which of them stores each configured chain. */
export interface ChainLocations {
  readonly stores: readonly ChainStore[];
  readonly databaseNameOf: DatabaseNameOfChain;
}

const unknownChain = (name: string, names: readonly string[]): ConsoleError =>
  new ConsoleError(404, `Unknown chain ${JSON.stringify(name)}: expected ${names.join(", ") || "none, as no chain is indexed"}.`);

/**
 * Finds an indexed chain by its name; the first of the stores is the control database.
 * @throws {ConsoleError} 404, or 503 while its database does not respond.
 */
export async function findChain({ stores, databaseNameOf }: ChainLocations, name: string): Promise<StoredChain> {
  const [control] = stores;
  const lost = new Set<string>();
  const found = await Promise.all(
    stores.map(async (store): Promise<StoredChain[]> => {
      const chains = await createLedgerQueries(store.database)
        .chains()
        .catch((error: unknown) => {
          if (store.name === null || !isUnavailable(error)) throw error;
          lost.add(store.name);
          return [];
        });
      const actionLog = store === control ? undefined : control?.indexing;
      return chains
        .filter((row) => isStoredIn(store.name, databaseNameOf(row.name)))
        .map((row) => ({ id: row.chain_id, name: row.name, actionLog, store }));
    }),
  );
  const chains = found.flat();
  const chain = chains.find((candidate) => candidate.name === name);
  if (chain !== undefined) return chain;
  const configured = databaseNameOf(name);
  const unavailable = [...lost].filter((database) => configured === undefined || configured === database);
  if (unavailable.length > 0)
    throw new ConsoleError(
      503,
      `No response from ${unavailable.length === 1 ? "database" : "databases"} ${unavailable.join(", ")}, which may contain ${name}: try again later.`,
    );
  throw unknownChain(
    name,
    chains.map((candidate) => candidate.name),
  );
}

const stateOf = ({
  removal_started_at: removed,
  restore_started_at: restored,
  paused_at: paused,
  is_stopped: isStopped,
}: IndexedChainRow) => {
  if (removed !== null) return "removing";
  if (restored !== null) return "restoring";
  return paused !== null ? "paused" : isStopped ? "stopped" : "indexing";
};

const toItem = (row: IndexedChainRow): ChainItem => {
  const since = row.removal_started_at ?? row.restore_started_at ?? row.paused_at;
  return {
    name: row.name,
    block: row.block,
    blockTime: row.timestamp === null ? null : new Date(row.timestamp * 1_000).toISOString(),
    nodeBlock: row.node_block,
    silentSeconds: row.silent_seconds,
    state: stateOf(row),
    since: since?.toISOString() ?? null,
  };
};

/** Each chain's state and progress. */
export async function listChains({ stores, databaseNameOf }: ChainLocations): Promise<ChainsResponse> {
  const { chains, unavailableDatabases } = await readIndexStates(
    stores.map(({ name, database }) => ({ name, query: database.query })),
    databaseNameOf,
  );
  return { chains: chains.map(toItem), unavailable: unavailableDatabases };
}

/** An indexed chain's details. @throws {ConsoleError} 404 */
export async function readChain(locations: ChainLocations, name: string, tasks: Pick<ChainTasks, "taskOf">): Promise<ChainDetails> {
  const target = await findChain(locations, name);
  const { database } = target.store;
  const [state, { node, missing, use, audit }] = await Promise.all([readIndexState(database), readChainDetails(database, target)]);
  const row = state.chains.find((chain) => chain.name === name);
  if (row === undefined)
    throw unknownChain(
      name,
      state.chains.map((candidate) => candidate.name),
    );
  const failures = new Map((node?.switched_off ?? []).map(({ projection, reason }) => [projection, reason]));
  return {
    ...toItem(row),
    disk: use.rows === 0 ? null : use,
    node: node?.offers ?? null,
    missing,
    projections: state.checkpoints
      .filter((checkpoint) => checkpoint.name === name)
      .map(({ projection, block_number: block }) => ({
        name: projection,
        block,
        state: failures.has(projection) ? "failed" : node?.building.includes(projection) === true ? "rebuilding" : "current",
        reason: failures.get(projection) ?? null,
      })),
    queues: state.queues
      .filter((queue) => queue.name === name)
      .map(({ queue, entries, attempted, overdue_seconds: overdueSeconds }) => ({ name: queue, entries, attempted, overdueSeconds })),
    lastAudit: audit === null ? null : { time: audit.time.toISOString(), ...audit.details },
    task: tasks.taskOf(name),
  };
}

const emptyBody = z.strictObject({}, "an empty object");
const queueText = `a list of ${Object.keys(queueTables).join(" and ")}`;
const retry = z.strictObject({
  queues: z.array(z.enum(Object.keys(queueTables) as [QueueName, ...QueueName[]], queueText)).min(1, queueText),
});
const addressText = "an address (0x followed by 40 hex digits), or null for all contracts";
const refresh = z.strictObject({
  contract: z
    .string(addressText)
    .regex(/^0x[0-9a-fA-F]{40}$/, addressText)
    .nullable(),
});
const sampleText = "an integer from 1 to 1000";
const audit = z.strictObject({ sample: z.number(sampleText).int(sampleText).min(1, sampleText).max(1_000, sampleText) });
const removal = z.strictObject({ name: z.string("the name of the chain") });

/** An action on a chain; returns what it did, in one sentence. */
type Action = (chain: StoredChain, body: unknown, actor: string) => Promise<string>;

/** Actions on chains, by the last segment of their path. */
export function createChainActions(tasks: ChainTasks): Readonly<Record<string, Action>> {
  return {
    async pause(chain, body, actor) {
      parseWith(emptyBody, body);
      return (await pauseChain(chain.store.indexing, chain, actor))
        ? "Paused: the chain's indexer stops within seconds."
        : "Already paused.";
    },
    async resume(chain, body, actor) {
      parseWith(emptyBody, body);
      const outcome = await resumeChain(chain.store.indexing, chain, actor);
      if (outcome === "resumed") return "Resumed: the chain's indexer continues within seconds.";
      if (outcome === "not paused") return "Not paused.";
      throw new ConsoleError(409, `Cannot resume the chain: it is ${outcome}. Nothing was changed.`);
    },
    async "retry-jobs"(chain, body, actor) {
      const retried = await retryJobs(chain.store.indexing, chain, parseWith(retry, body).queues, actor);
      return `${retried} entries are due: the process that indexes ${chain.name} attempts them again.`;
    },
    async "refresh-metadata"(chain, body, actor) {
      const contract = (parseWith(refresh, body).contract?.toLowerCase() ?? null) as Address | null;
      const { tokenCount, isCollection } = await refreshMetadata(chain.store.indexing, chain, contract, actor);
      if (tokenCount === 0 && !isCollection)
        throw new ConsoleError(404, `No ${contract === null ? "token" : `token ${contract}`} with metadata in the index of ${chain.name}.`);
      return `Queued: the metadata of ${tokenCount} contracts${isCollection ? ", and the contract's NFT documents," : ""} will be read again.`;
    },
    async audit(chain, body, actor) {
      tasks.startAudit(chain, parseWith(audit, body).sample, actor);
      return "The audit has started.";
    },
    async remove(chain, body, actor) {
      const { name } = parseWith(removal, body);
      if (name !== chain.name)
        throw new ConsoleError(400, `Invalid value ${JSON.stringify(name.slice(0, 100))} for name: expected ${chain.name}.`);
      tasks.startRemoval(chain, actor);
      return "The removal has started.";
    },
  };
}
