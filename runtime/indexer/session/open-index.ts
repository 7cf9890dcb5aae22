import { findingsOf, missingFeatures } from "../../chain/findings.ts";
import type { Source } from "../../chain/source.ts";
import type { Database, DatabaseClient } from "../../database/database.ts";
import { nameTaken, nativeBalancesDiffer, refuseChainId, refuseFirstBlock, tracesGone, wrongGenesis } from "../errors.ts";
import type { Leadership } from "../leader/leader.ts";
import type { ChainFacts, Projection } from "../projection.ts";
import { clearProjection } from "../reorg/roll-back.ts";
import { type ChainRecord, chainNamed, describeChain, features, insertChain, readChain } from "../storage/chain-record.ts";
import { type Checkpoint, lockCheckpoints, resetCheckpoint } from "../storage/checkpoints.ts";
import type { StoredLedger } from "../storage/stored-ledger.ts";
import type { IndexedChain } from "../types.ts";
import { accountingOf, accountingWords } from "./accounting.ts";
import { recordOffers } from "./node-offers.ts";

export interface OpenedIndex {
  readonly facts: ChainFacts;
  readonly warnings: readonly string[];
}

/** Checks that node and index belong together, and begins what is new: the chain, a projection, a version. @throws {IndexMismatchError} */
export const openIndex = async (
  database: Database,
  source: Source,
  chain: IndexedChain,
  ledger: Pick<StoredLedger, "lacksBalances">,
  projections: readonly Projection[],
  hasAllocation: boolean,
  guard: Leadership["guard"],
): Promise<OpenedIndex> => {
  refuseChainId(chain, await source.chainId());
  const genesisHash = await source.genesisHash();
  const known = await readChain(database, chain.id);
  // An index that goes on from its own first block waits for a node that lags behind it.
  if (known?.indexedFrom !== chain.from) refuseFirstBlock(chain, (await source.head()).number);
  const holder = await chainNamed(database, chain.name);
  if (holder !== null && holder !== chain.id) throw nameTaken(chain.name, chain.id, holder);
  if (known === null) {
    const nativeAccounting = accountingOf(chain.nativeAccounting, source.capabilities);
    await insertChain(database, { id: chain.id, name: chain.name, genesisHash, from: chain.from, nativeAccounting });
  }
  const record = await readChain(database, chain.id);
  if (record === null || record.genesisHash !== genesisHash) throw wrongGenesis(chain.name, record?.genesisHash ?? "0x", genesisHash);

  // An index keeps the accounting that it was begun with: balances that were followed and ones that were read do not continue each other.
  const { nativeAccounting } = record;
  if (nativeAccounting === "traces" && !source.tracing) throw tracesGone(chain.name);
  await describeChain(database, chain.id, chain.name, missingOf(source, record, hasAllocation, await ledger.lacksBalances()));
  await recordOffers(database, chain.id, source.capabilities);

  const from = record.indexedFrom;
  await database.transaction(async (client) => {
    const checkpoints = await lockCheckpoints(client, chain.id);
    await guard(client);
    await beginProjections(client, chain.id, projections, checkpoints, from - 1);
  });
  return {
    facts: { from, baseBlock: Math.max(from - 1, 0), nativeAccounting, wrappedNative: new Set(chain.wrappedNative) },
    warnings: warningsOf(chain, record, source),
  };
};

const missingOf = (source: Source, record: ChainRecord, hasAllocation: boolean, lacksBalances: boolean): string[] => {
  const { nativeAccounting, missing, backfilled } = record;
  // What is stored decides; of blocks that are not stored yet, what the node offers.
  const lacksHistory = nativeAccounting === "state" && (lacksBalances || (!backfilled && !source.capabilities.archiveState));
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
      `Chain ${chain.id} was named ${record.name} in this index and is ${chain.name} from now on: its paths begin with /v1/${chain.name}/.`,
    );
  for (const { feature, follows } of findingsOf(source.capabilities, chain)) {
    if (lacking.includes(feature)) warnings.push(`The node of ${chain.name} does not offer ${feature}: ${follows}.`);
  }
  if (record.indexedFrom !== chain.from) {
    warnings.push(
      `The index of ${chain.name} begins at block ${record.indexedFrom}; that the configuration says ${chain.from} changes nothing.`,
    );
  }
  return [...warnings, ...nativeWarnings(chain, record, source)];
};

const nativeWarnings = ({ name, nativeAccounting: wanted }: IndexedChain, record: ChainRecord, source: Source): string[] => {
  const { nativeAccounting: kept, missing } = record;
  const { traces, archiveState } = source.capabilities;
  const warnings: string[] = [];
  if (kept === "none") {
    warnings.push(
      `The index of ${name} keeps no native balances: ${wanted === "none" ? "nativeAccounting is none" : "it was begun without them"}.`,
    );
  } else if (wanted === "traces" && kept === "state") {
    const reason =
      !source.tracing || traces === null ? "the node has no traces" : "the node had no traces of its first blocks when it was begun";
    warnings.push(`The index of ${name} reads native balances from the state instead of following traces: ${reason}.`);
  } else if (wanted !== kept) {
    warnings.push(
      `The index of ${name} keeps native balances ${accountingWords[kept]}, as it was begun; nativeAccounting ${wanted} needs a new index.`,
    );
  }
  if (kept === "state" && !archiveState) {
    warnings.push(`The index of ${name} knows native balances of recent blocks only: the node has no state of older ones.`);
  }
  if (missing.includes(features.nativeBalancesDiffer)) warnings.push(nativeBalancesDiffer(name));
  return warnings;
};

/** A projection without a checkpoint begins before the first block; one of another version is emptied first. A new ledger empties all. */
const beginProjections = async (
  client: DatabaseClient,
  chainId: number,
  projections: readonly Projection[],
  checkpoints: ReadonlyMap<string, Checkpoint>,
  before: number,
): Promise<void> => {
  const ledger = projections[0];
  const newLedger = ledger !== undefined && checkpoints.get(ledger.id)?.version !== ledger.version;
  for (const projection of projections) {
    const checkpoint = checkpoints.get(projection.id);
    if (checkpoint !== undefined && checkpoint.version === projection.version && !newLedger) continue;
    if (checkpoint !== undefined) await clearProjection(client, chainId, projection);
    await resetCheckpoint(client, chainId, projection.id, projection.version, before);
  }
};
