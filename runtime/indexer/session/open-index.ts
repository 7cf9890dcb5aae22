import { describeCapabilities, missingFeatures } from "../../chain/describe-capabilities.ts";
import type { Source } from "../../chain/source.ts";
import type { Database, DatabaseClient } from "../../database/database.ts";
import {
  nameTakenError,
  nativeBalancesDifferWarning,
  notRestoredError,
  tracesUnavailableError,
  verifyChainId,
  verifyFirstBlock,
  wrongGenesisError,
} from "../errors.ts";
import type { Leadership } from "../leader/leader.ts";
import type { ChainFacts, Projection } from "../projection.ts";
import { clearProjection } from "../reorg/roll-back.ts";
import {
  type ChainRecord,
  chainIdOfName,
  features,
  insertChain,
  readChain,
  recordCapabilities,
  recordNameAndMissing,
} from "../storage/chain-record.ts";
import { type Checkpoint, lockCheckpoints, resetCheckpoint } from "../storage/checkpoints.ts";
import type { IndexedChain, StoredLedger } from "../types.ts";
import { accountingDescriptions, chooseAccounting } from "./accounting.ts";

export interface OpenIndexDeps {
  readonly chain: IndexedChain;
  readonly source: Source;
  readonly database: Database;
  readonly ledger: Pick<StoredLedger, "lacksBalances">;
  /** All projections, the ledger's first. */
  readonly projections: readonly Projection[];
  /** Whether the genesis block's native balances are configured. */
  readonly hasAllocation: boolean;
  readonly guard: Leadership["guard"];
}

export interface OpenedIndex {
  readonly facts: ChainFacts;
  readonly warnings: readonly string[];
}

/** Checks that the index matches the node, and creates the chain and the projections that are new or have a new version. @throws {IndexMismatchError} */
export const openIndex = async (deps: OpenIndexDeps): Promise<OpenedIndex> => {
  const { chain, source, database } = deps;
  const record = await openChain(deps);
  // An index with balances derived from traces cannot be continued with balances read from the state.
  const { nativeAccounting, indexedFrom: from } = record;
  if (nativeAccounting === "traces" && !source.readsTraces) throw tracesUnavailableError(chain.name);
  const missing = missingOf(source, record, deps.hasAllocation, await deps.ledger.lacksBalances());
  await recordNameAndMissing(database, chain.id, chain.name, missing);
  await recordCapabilities(database, chain.id, source.capabilities);
  await database.transaction(async (client) => {
    const checkpoints = await lockCheckpoints(client, chain.id);
    await deps.guard(client);
    await resetProjections(client, chain.id, deps.projections, checkpoints, from - 1);
  });
  return {
    facts: { from, baseBlock: Math.max(from - 1, 0), nativeAccounting, wrappedNative: new Set(chain.wrappedNative) },
    warnings: warningsOf(chain, record, source),
  };
};

/** Reads the chain's record, and inserts it if it does not exist. */
const openChain = async ({ chain, source, database }: OpenIndexDeps): Promise<ChainRecord> => {
  verifyChainId(chain, await source.chainId());
  const genesisHash = await source.genesisHash();
  const existing = await readChain(database, chain.id);
  if (existing?.isRestoring) throw notRestoredError(chain.name);
  // An existing index waits for a node that is behind its first block.
  if (existing?.indexedFrom !== chain.from) verifyFirstBlock(chain, (await source.head()).number);
  const holder = await chainIdOfName(database, chain.name);
  if (holder !== null && holder !== chain.id) throw nameTakenError(chain.name, chain.id, holder);
  if (existing === null) {
    const nativeAccounting = chooseAccounting(chain.nativeAccounting, source.capabilities);
    await insertChain(database, { id: chain.id, name: chain.name, genesisHash, from: chain.from, nativeAccounting });
  }
  const record = await readChain(database, chain.id);
  if (record === null || record.genesisHash !== genesisHash) throw wrongGenesisError(chain.name, record?.genesisHash ?? "0x", genesisHash);
  return record;
};

const missingOf = (source: Source, record: ChainRecord, hasAllocation: boolean, lacksBalances: boolean): string[] => {
  const { nativeAccounting, missing, isBackfilled } = record;
  // The stored balances decide; until the backfill is complete, the node's capabilities do.
  const lacksHistory = nativeAccounting === "state" && (lacksBalances || (!isBackfilled && !source.capabilities.hasArchiveState));
  return [
    ...(nativeAccounting === "none" ? [features.nativeBalances] : []),
    ...(lacksHistory ? [features.nativeHistory] : []),
    ...(missing.includes(features.nativeBalancesDiffer) ? [features.nativeBalancesDiffer] : []),
    ...missingFeatures(source.capabilities).filter((feature) => feature !== features.archiveState || !hasAllocation),
  ];
};

const warningsOf = (chain: IndexedChain, record: ChainRecord, source: Source): string[] => {
  const lacking = missingFeatures(source.capabilities);
  const warnings: string[] = [];
  if (record.name !== chain.name)
    warnings.push(
      `Chain ${chain.id} was named ${record.name} in this index and is now named ${chain.name}: its paths start with /v1/${chain.name}/.`,
    );
  for (const { feature, consequence } of describeCapabilities(source.capabilities, chain)) {
    if (lacking.includes(feature)) warnings.push(`The node of ${chain.name} does not offer ${feature}: ${consequence}.`);
  }
  if (record.indexedFrom !== chain.from) {
    warnings.push(`The index of ${chain.name} starts at block ${record.indexedFrom}; the configured from (${chain.from}) is ignored.`);
  }
  return [...warnings, ...nativeWarnings(chain, record, source)];
};

const nativeWarnings = ({ name, nativeAccounting: configured }: IndexedChain, record: ChainRecord, source: Source): string[] => {
  const { nativeAccounting: stored, missing } = record;
  const { traceKind, hasArchiveState } = source.capabilities;
  const warnings: string[] = [];
  if (stored === "none") {
    const reason = configured === "none" ? "nativeAccounting is none" : "it was created without them";
    warnings.push(`The index of ${name} has no native balances: ${reason}.`);
  } else if (configured === "traces" && stored === "state") {
    const reason =
      !source.readsTraces || traceKind === null
        ? "the node has no traces"
        : "the node had no traces of the first blocks when the index was created";
    warnings.push(`Native balances of ${name} are read from the node's state instead of being derived from traces: ${reason}.`);
  } else if (configured !== stored) {
    warnings.push(
      `The index of ${name} was created with native balances ${accountingDescriptions[stored]}; nativeAccounting ${configured} requires a new index.`,
    );
  }
  if (stored === "state" && !hasArchiveState) {
    warnings.push(`The index of ${name} only has native balances of recent blocks: the node has no state of older ones.`);
  }
  if (missing.includes(features.nativeBalancesDiffer)) warnings.push(nativeBalancesDifferWarning(name));
  return warnings;
};

/**
 * Sets the checkpoints of new projections to the block before the first one. A projection with a different version is emptied first; if the ledger's version
 * has changed, all projections are.
 */
const resetProjections = async (
  client: DatabaseClient,
  chainId: number,
  projections: readonly Projection[],
  checkpoints: ReadonlyMap<string, Checkpoint>,
  before: number,
): Promise<void> => {
  const ledger = projections[0];
  const isNewLedger = ledger !== undefined && checkpoints.get(ledger.id)?.version !== ledger.version;
  for (const projection of projections) {
    const checkpoint = checkpoints.get(projection.id);
    if (checkpoint !== undefined && checkpoint.version === projection.version && !isNewLedger) continue;
    if (checkpoint !== undefined) await clearProjection(client, chainId, projection);
    await resetCheckpoint(client, chainId, projection.id, projection.version, before);
  }
};
