import type { Source } from "../chain/source.ts";
import type { Database, DatabaseClient } from "../database/database.ts";
import { type ChainRecord, describeChain, features, insertChain, readChain } from "./chain-row.ts";
import { readCheckpoints, resetCheckpoint } from "./checkpoints.ts";
import { tracesGone, wrongChainId, wrongGenesis } from "./errors.ts";
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
): Promise<OpenedIndex> => {
  const told = await source.chainId();
  if (told !== chain.id) throw wrongChainId(chain.name, chain.id, told);
  const genesisHash = await source.genesisHash();
  const wasThere = (await readChain(database, chain.id)) !== null;
  if (!wasThere) await insertChain(database, { id: chain.id, name: chain.name, genesisHash, from: chain.from });
  const record = await readChain(database, chain.id);
  if (record === null || record.genesisHash !== genesisHash) throw wrongGenesis(chain.name, record?.genesisHash ?? "0x", genesisHash);

  const nativeAccounting = wasThere ? !record.missing.includes(features.nativeBalances) : source.tracing;
  if (nativeAccounting && !source.tracing) throw tracesGone(chain.name);
  await describeChain(database, chain.id, chain.name, missingOf(source, nativeAccounting, hasAllocation));

  const from = record.indexedFrom;
  await database.transaction((client) => beginProjections(client, chain.id, projections, from - 1));
  return {
    facts: { from, baseBlock: Math.max(from - 1, 0), nativeAccounting, wrappedNative: new Set(chain.wrappedNative) },
    warnings: warningsOf(chain, record, source, nativeAccounting),
  };
};

const missingOf = (source: Source, nativeAccounting: boolean, hasAllocation: boolean): string[] => [
  ...(nativeAccounting ? [] : [features.nativeBalances]),
  ...(source.capabilities.archiveState || hasAllocation ? [] : [features.archiveState]),
  ...(source.capabilities.finalizedTag ? [] : [features.finalizedTag]),
];

const warningsOf = (chain: IndexedChain, record: ChainRecord, source: Source, nativeAccounting: boolean): string[] => {
  const warnings: string[] = [];
  if (record.indexedFrom !== chain.from) {
    warnings.push(
      `The index of ${chain.name} begins at block ${record.indexedFrom}; that the configuration says ${chain.from} changes nothing.`,
    );
  }
  if (!nativeAccounting) {
    const reason = source.tracing
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
  before: number,
): Promise<void> => {
  const checkpoints = await readCheckpoints(client, chainId);
  const ledger = projections[0];
  const newLedger = ledger !== undefined && checkpoints.get(ledger.id)?.version !== ledger.version;
  for (const projection of projections) {
    const checkpoint = checkpoints.get(projection.id);
    if (checkpoint !== undefined && checkpoint.version === projection.version && !newLedger) continue;
    if (checkpoint !== undefined) await clearProjection(client, chainId, projection);
    await resetCheckpoint(client, chainId, projection.id, projection.version, before);
  }
};
