import { InvalidResponseError } from "../../chain/errors.ts";
import type { DatabaseClient } from "../../database/database.ts";
import { createMutex } from "../../lib/async.ts";
import type { Hash } from "../../lib/hex.ts";
import { IndexMismatchError } from "../errors.ts";
import { nodeReadLoads, nodeReadTables } from "../ingest/batch.ts";
import type { Stopwatch } from "../ingest/stopwatch.ts";
import { type Leadership, LeadershipLostError } from "../leader/leader.ts";
import type { ChainFacts, Projection } from "../projection.ts";
import type { ProjectionError } from "../projection-error.ts";
import { rollBack } from "../reorg/roll-back.ts";
import { createStateCache, type StateCache } from "../state/state-cache.ts";
import { CheckpointMovedError, lockCheckpoints, readCheckpoints, recordFailure } from "../storage/checkpoints.ts";
import { type PreparedBatch, writeBatch } from "../storage/write-batch.ts";
import type { IndexerDeps } from "../types.ts";
import { openIndex } from "./open-index.ts";

/** The ledger's last committed block; in an empty index the block before the first one, without a hash. */
export interface Position {
  readonly block: number;
  readonly hash: Hash | null;
}

export interface IndexSessionDeps
  extends Pick<
    IndexerDeps,
    "chain" | "source" | "database" | "ledger" | "projections" | "blockBoundTables" | "prepareTables" | "genesisAllocation" | "logger"
  > {
  readonly stopwatch: Stopwatch;
}

/** One chain's open index: the state that this process's indexing loop works with. */
export interface IndexSession {
  /** All projections that are not switched off, the ledger's first. */
  readonly projections: readonly Projection[];
  readonly position: Position;
  /** Projections that have caught up with the ledger and are written together with it, in order. */
  readonly joined: readonly Projection[];
  /** Projections that still have to catch up; none before the index is opened. */
  readonly behind: readonly Projection[];
  /** @throws {TypeError} before the index is opened. */
  readonly facts: ChainFacts;
  /** The rows that the next batch is folded from. */
  readonly cache: StateCache;
  /** The right to write; null while this process is not the leader. */
  leadership: Leadership | null;
  /** Verifies in a transaction that this process is the leader. @throws {LeadershipLostError} */
  readonly guard: Leadership["guard"];
  /** Checks that the index matches the node, and reads position and joined projections from the checkpoints. @throws {IndexMismatchError} */
  open(): Promise<void>;
  /** Continues without a projection that has failed; must be called while the index is closed or nothing is written, before the index is opened again. */
  switchOff(failure: ProjectionError): void;
  /** Adds a projection that has caught up; must be called while nothing else writes. */
  join(projection: Projection): void;
  /** Starts writing a batch as soon as nothing else writes, and advances the position. Null if the cache that it was folded from is no longer valid. */
  commit(batch: PreparedBatch, isDurable: boolean): Promise<Commit | null>;
  /** Rolls the index back to a block in one transaction, and reopens it; must be called while nothing else writes. */
  rewind(ancestor: number): Promise<void>;
  /** Replaces the cache, because another writer has changed rows that it may contain. */
  invalidateCache(): void;
  /** Runs work while nothing else writes. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** Locks the checkpoints in a transaction. @throws {CheckpointMovedError} if the index is not at the position. @throws {LeadershipLostError} */
  lockPosition(client: DatabaseClient): Promise<void>;
}

/** A batch that is being written. */
export interface Commit {
  /** Resolves with the number of written rows. */
  readonly done: Promise<number>;
}

/** Creates a chain's session; it is not open yet. */
export const createIndexSession = (deps: IndexSessionDeps): IndexSession => {
  const { chain, database, ledger } = deps;
  const all = [ledger.projection, ...deps.projections];
  let projections: readonly Projection[] = all;
  const failures = new Map<string, string>();
  const blockBoundTables = [...nodeReadTables, ...(deps.blockBoundTables ?? [])];
  const exclusively = createMutex();
  const createCache = (joined: readonly Projection[], isNew = false) =>
    createStateCache({ database, chainId: chain.id, projections: joined, nodeReads: nodeReadLoads, isNew });
  let opened: ChainFacts | null = null;
  let position: Position = { block: chain.from - 1, hash: null };
  let joined: readonly Projection[] = [];
  let cache = createCache(joined);

  const replaceCache = (next: StateCache): void => {
    cache.invalidate();
    cache = next;
  };

  const session: IndexSession = {
    exclusively,
    leadership: null,
    get projections() {
      return projections;
    },
    get position() {
      return position;
    },
    get joined() {
      return joined;
    },
    get behind() {
      return opened === null ? [] : projections.filter((projection) => !joined.includes(projection));
    },
    get facts() {
      if (opened === null) throw new TypeError(`The index of ${chain.name} is not open.`);
      return opened;
    },
    get cache() {
      return cache;
    },
    guard: async (client) => {
      if (session.leadership === null) throw new LeadershipLostError(chain.name);
      await session.leadership.guard(client);
    },
    open: async () => {
      await deps.prepareTables?.(session.guard, new Set(failures.keys()));
      const facts = await openOrReopen(deps, projections, session.guard, opened === null);
      const stored = await readPosition(deps, projections, facts.from - 1);
      position = stored.position;
      joined = stored.caughtUp;
      replaceCache(createCache(joined, position.block < facts.from));
      await recordFailures(deps, failures, session.guard, facts.from - 1);
      opened = facts;
    },
    switchOff: ({ projection, message }) => {
      failures.set(projection, message);
      projections = all.filter(({ id }) => !failures.has(id));
      deps.logger.warn(`Projection ${projection} of ${chain.name} is switched off until the indexer is restarted: ${message}`);
    },
    join: (projection) => {
      joined = projections.filter((other) => other === projection || joined.includes(other));
      replaceCache(createCache(joined));
    },
    commit: (batch, isDurable) => {
      const writeDeps = { database, chainId: chain.id, stopwatch: deps.stopwatch, guard: session.guard };
      const write = async (): Promise<number> => {
        const rows = await writeBatch(writeDeps, batch, isDurable);
        position = { block: batch.lastBlock, hash: batch.lastBlockHash };
        return rows;
      };
      return startExclusively(exclusively, () => (batch.cache.isValid ? write() : null));
    },
    rewind: async (ancestor) => {
      await database.transaction(async (client) => {
        await session.lockPosition(client);
        const tables = blockBoundTables.filter(({ projection }) => projection === undefined || !failures.has(projection.id));
        await rollBack(client, chain.id, ancestor, session.facts.baseBlock, projections, tables);
      });
      await session.open();
    },
    invalidateCache: () => replaceCache(createCache(joined)),
    lockPosition: async (client) => {
      const { id } = ledger.projection;
      if ((await lockCheckpoints(client, chain.id)).get(id)?.block !== position.block) throw new CheckpointMovedError(id);
      await session.guard(client);
    },
  };
  return session;
};

const recordFailures = async (
  { chain, database }: IndexSessionDeps,
  failures: ReadonlyMap<string, string>,
  guard: Leadership["guard"],
  before: number,
): Promise<void> => {
  if (failures.size === 0) return;
  await database.transaction(async (client) => {
    await lockCheckpoints(client, chain.id);
    await guard(client);
    for (const [projection, reason] of failures) await recordFailure(client, chain.id, projection, reason, before);
  });
};

const openOrReopen = async (
  { chain, source, database, ledger, genesisAllocation, logger }: IndexSessionDeps,
  projections: readonly Projection[],
  guard: Leadership["guard"],
  isFirst: boolean,
): Promise<ChainFacts> => {
  const hasAllocation = genesisAllocation !== undefined;
  const { facts, warnings } = await openIndex({ chain, source, database, ledger, projections, hasAllocation, guard }).catch(
    (error: unknown) => {
      // A gateway that previously routed to the right node may temporarily route to a node of a different chain.
      if (!isFirst && error instanceof IndexMismatchError) throw new InvalidResponseError(error.message);
      throw error;
    },
  );
  if (isFirst) for (const warning of warnings) logger.warn(warning);
  return facts;
};

const readPosition = async ({ chain, database, ledger }: IndexSessionDeps, projections: readonly Projection[], before: number) => {
  const checkpoints = await readCheckpoints(database, chain.id);
  const block = checkpoints.get(ledger.projection.id)?.block ?? before;
  const hash = (await ledger.hashes(block, block)).get(block) ?? null;
  return { position: { block, hash }, caughtUp: projections.filter(({ id }) => checkpoints.get(id)?.block === block) };
};

/** Runs work exclusively; resolves with its pending result when it starts, or with null if there is no work. */
const startExclusively = (exclusively: IndexSession["exclusively"], work: () => Promise<number> | null): Promise<Commit | null> =>
  new Promise((resolve, reject) => {
    const start = async (): Promise<void> => {
      const done = work();
      // Wrapped in an object, because `resolve` would await a promise.
      resolve(done === null ? null : { done });
      await done;
    };
    exclusively(start).catch(reject);
  });
