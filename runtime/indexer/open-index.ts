import { findingsOf, missingFeatures } from "../chain/findings.ts";
import type { Source } from "../chain/source.ts";
import type { Database, DatabaseClient } from "../database/database.ts";
import { type ChainRecord, describeChain, features, insertChain, readChain } from "./chain-row.ts";
import { type Checkpoint, lockCheckpoints, resetCheckpoint } from "./checkpoints.ts";
import { tracesGone, wrongChainId, wrongGenesis } from "./errors.ts";
import type { Leadership } from "./leader.ts";
import { recordOffers } from "./node-offers.ts";
import type { ChainFacts, Projection } from "./projection.ts";
import { clearProjection } from "./roll-back.ts";
import type { IndexedChain } from "./types.ts";

export interface OpenedIndex {
  readonly facts: ChainFacts;
  readonly warnings: readonly string[];
}

/** Checks that node and index belong together, and begins what is new: the chain, a projection, a version. @throws {IndexMismatchError} */
export const openIndex = async (
  database: Database,
  source: Source,
  chain: IndexedChain,
  projections: readonly Projection[],
  hasAllocation: boolean,
  guard: Leadership["guard"],
): Promise<OpenedIndex> => {
  const told = await source.chainId();
  if (told !== chain.id) throw wrongChainId(chain.name, chain.id, told);
  const genesisHash = await source.genesisHash();
  const wasThere = (await readChain(database, chain.id)) !== null;
  if (!wasThere) await insertChain(database, { id: chain.id, name: chain.name, genesisHash, from: chain.from });
  const record = await readChain(database, chain.id);
  if (record === null || record.genesisHash !== genesisHash) throw wrongGenesis(chain.name, record?.genesisHash ?? "0x", genesisHash);

  // What was begun with traces goes on while the node has those of recent blocks; what begins needs all of them.
  const nativeAccounting = wasThere ? !record.missing.includes(features.nativeBalances) : source.tracing && source.capabilities.oldTraces;
  if (nativeAccounting && !source.tracing) throw tracesGone(chain.name);
  await describeChain(database, chain.id, chain.name, missingOf(source, nativeAccounting, hasAllocation));
  await recordOffers(database, chain.id, source.capabilities);

  const from = record.indexedFrom;
  await database.transaction(async (client) => {
    const checkpoints = await lockCheckpoints(client, chain.id);
    await guard(client);
    await beginProjections(client, chain.id, projections, checkpoints, from - 1);
  });
  return {
    facts: { from, baseBlock: Math.max(from - 1, 0), nativeAccounting, wrappedNative: new Set(chain.wrappedNative) },
    warnings: warningsOf(chain, record, source, nativeAccounting),
  };
};

const missingOf = (source: Source, nativeAccounting: boolean, hasAllocation: boolean): string[] => [
  ...(nativeAccounting ? [] : [features.nativeBalances]),
  ...missingFeatures(source.capabilities).filter((feature) => feature !== features.archiveState || !hasAllocation),
];

const warningsOf = (chain: IndexedChain, record: ChainRecord, source: Source, nativeAccounting: boolean): string[] => {
  const lacking = missingFeatures(source.capabilities);
  const warnings = findingsOf(source.capabilities)
    .filter(({ feature }) => lacking.includes(feature))
    .map(({ feature, follows }) => `The node of ${chain.name} does not offer ${feature}: ${follows}.`);
  if (record.indexedFrom !== chain.from) {
    warnings.push(
      `The index of ${chain.name} begins at block ${record.indexedFrom}; that the configuration says ${chain.from} changes nothing.`,
    );
  }
  if (!nativeAccounting) {
    const reason =
      source.tracing && !source.capabilities.oldTraces
        ? "the node has no traces of its first blocks"
        : source.tracing
          ? "it was begun without them"
          : chain.nativeAccounting === "traces"
            ? "the node has no traces"
            : "nativeAccounting is none";
    warnings.push(`The index of ${chain.name} keeps no native balances: ${reason}.`);
  }
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
