import { describeBitcoinNode } from "../../../chain/bitcoin/capabilities.ts";
import { IndexMismatchError, nameTakenError, notRestoredError, verifyFirstBlock, wrongGenesisError } from "../../../indexer/errors.ts";
import type { Leadership } from "../../../indexer/leader/leader.ts";
import { clearProjection } from "../../../indexer/reorg/roll-back.ts";
import { type ChainRecord, chainIdOfName, insertChain, readChain, recordNameAndMissing } from "../../../indexer/storage/chain-record.ts";
import { lockCheckpoints, resetCheckpoint } from "../../../indexer/storage/checkpoints.ts";
import { bitcoinProjection } from "../projection.ts";
import type { BitcoinQueries } from "../queries.ts";
import type { BitcoinIndexerDeps, BitcoinPosition } from "./types.ts";

type OpenDeps = Pick<BitcoinIndexerDeps, "chain" | "source" | "capabilities" | "database"> & {
  readonly queries: BitcoinQueries;
  readonly guard: Leadership["guard"];
};

/**
 * Checks that the index matches the node. Creates the chain and its checkpoint if they do not exist, and deletes rows of other versions of the
 * projection.
 * @throws {IndexMismatchError}
 */
export async function openBitcoinIndex(deps: OpenDeps): Promise<{ readonly from: number; readonly position: BitcoinPosition }> {
  const { chain, database, queries, guard } = deps;
  const { indexedFrom: from } = await openChain(deps);
  await describeNode(deps, from);
  const { id, version } = bitcoinProjection;
  const block = await database.transaction(async (client) => {
    const checkpoint = (await lockCheckpoints(client, chain.id)).get(id);
    await guard(client);
    if (checkpoint?.version === version) return checkpoint.block;
    if (checkpoint !== undefined) await clearProjection(client, chain.id, bitcoinProjection);
    await resetCheckpoint(client, chain.id, id, version, from - 1);
    return from - 1;
  });
  return { from, position: { block, hash: (await queries.hashes(chain.id, block, block)).get(block) ?? null } };
}

async function openChain({ chain, source, capabilities, database }: OpenDeps): Promise<ChainRecord> {
  const { id, name, network, from } = chain;
  const reported = await source.network();
  if (reported !== network.coreName) throw otherNetwork(name, network.coreName, reported);
  const genesisHash = await source.genesisHash();
  const existing = await readChain(database, id);
  if (existing?.isRestoring) throw notRestoredError(name);
  if (existing?.indexedFrom !== from) verifyFirstBlock(chain, (await source.head()).number);
  const idWithName = await chainIdOfName(database, name);
  if (idWithName !== null && idWithName !== id) throw nameTakenError(name, id, idWithName);
  if (existing === null) {
    if (from < capabilities.firstBlock) throw prunedAbove(name, from, capabilities.firstBlock);
    await insertChain(database, { id, name, genesisHash, from, nativeAccounting: null });
  }
  const record = await readChain(database, id);
  if (record === null || record.genesisHash !== genesisHash) throw wrongGenesisError(name, record?.genesisHash ?? "0x", genesisHash);
  return record;
}

/** Stores the node's capabilities, and whether outputs before the first indexed block stay unknown. */
async function describeNode({ chain, capabilities, database }: OpenDeps, from: number): Promise<void> {
  const { hasSpentOutputs, hasTxIndex } = capabilities;
  const offers = describeBitcoinNode(capabilities).flatMap(({ offered, feature }) => (offered ? [feature] : []));
  await recordNameAndMissing(database, chain.id, chain.name, from > 0 && !hasSpentOutputs && !hasTxIndex ? ["spent-outputs"] : []);
  await database.query("UPDATE chains SET offers = $2 WHERE chain_id = $1", [chain.id, offers]);
}

const otherNetwork = (name: string, expected: string, reported: string): IndexMismatchError =>
  new IndexMismatchError(
    `The node of ${name} serves the Bitcoin network ${JSON.stringify(reported)}, expected "${expected}": set rpc (--rpc) to a node of that network, or change network.`,
  );

const prunedAbove = (name: string, from: number, first: number): IndexMismatchError =>
  new IndexMismatchError(
    `Cannot index ${name} from block ${from}: its node is pruned and has no blocks below ${first}; set from (--from) to ${first} or more, or use a node that is not pruned.`,
  );
