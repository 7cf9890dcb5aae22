import { connectToRespondingNode } from "../chain/nodes/connect-to-responding-node.ts";
import type { ChainConfig } from "../config/config.ts";
import { nodeUrlsOf } from "../config/fields.ts";
import type { Database, DatabaseClient } from "../database/database.ts";
import type { Protocol } from "../declarations/protocol.ts";
import { openProtocols } from "../domains/community/open-protocols.ts";
import { createStoredLedger } from "../domains/ledger/stored-blocks.ts";
import { createLeader } from "../indexer/leader/leader.ts";
import { rollBack } from "../indexer/reorg/roll-back.ts";
import { type ChainRecord, features, readChain } from "../indexer/storage/chain-record.ts";
import { type Checkpoint, lockCheckpoints, readCheckpoints } from "../indexer/storage/checkpoints.ts";
import { recordAction } from "../operator/actions.ts";
import { blockBoundTables, projections } from "../projections.ts";
import { CommandError } from "./command-error.ts";

export interface RepairOptions {
  readonly database: Database;
  /** The control database, which has the log of operator actions, if the chain is stored in another database. */
  readonly actionLog?: Database | undefined;
  readonly chain: ChainConfig;
  readonly protocols: readonly Protocol[];
  /** The last block to keep. */
  readonly to: number;
  /** Whether to change the index, rather than only to explain what would change. */
  readonly isConfirmed: boolean;
  /** The user who repairs the chain, for the log of operator actions. */
  readonly actor: string;
  readonly print: (line: string) => void;
}

/** How long to wait for an indexer that is releasing the chain. */
const lockMilliseconds = 5_000;

/** Rolls a chain's index back to a block, even below the finalized block. @throws {CommandError} if that is impossible. */
export async function repairChain(options: RepairOptions): Promise<void> {
  const { database, actionLog, chain, to, isConfirmed, actor, print } = options;
  const { name, id } = chain;
  const record = await readChain(database, id);
  const head = (await readCheckpoints(database, id)).get(createStoredLedger(database, id).projection.id)?.block ?? null;
  if (record === null || head === null) throw new CommandError(`${name} is not indexed: there is nothing to repair.`);
  if (to < record.indexedFrom || to >= head)
    throw new CommandError(
      `Invalid value "${to}" for --to: expected an indexed block below the head, from ${record.indexedFrom} to ${head - 1}.`,
    );
  print(`${name} is indexed up to block ${head}; its finalized block is ${record.finalizedBlock ?? "unknown"}.`);
  print(await compareWithNode(options));
  print(
    `Blocks ${to + 1} to ${head} are deleted from the index, and no block above ${to} counts as finalized; the indexer then indexes them again.`,
  );
  if (!isConfirmed)
    return print(
      `Nothing was changed. To repair the chain, pause it with ashlar chains pause ${name}, and repeat this command with --yes.`,
    );
  let isDone = false;
  const logger = { info: () => undefined, warn: () => undefined };
  const leader = createLeader({ database, chain, logger });
  await leader.lead(AbortSignal.timeout(lockMilliseconds), async ({ guard }) => {
    await database.transaction(async (client) => {
      const checkpoints = await lockCheckpoints(client, id);
      await guard(client);
      await rewind(client, options, record, checkpoints);
      await recordAction(actionLog ?? client, {
        actor,
        action: "chain.repair",
        subject: name,
        details: { to, head, finalized: record.finalizedBlock },
      });
    });
    isDone = true;
  });
  if (!isDone)
    throw new CommandError(
      `Another process is indexing ${name}: pause it with ashlar chains pause ${name}, and repeat this command. Nothing was changed.`,
    );
  print(`Done: ${name} is indexed up to block ${to}.`);
}

/** Compares the last remaining block with the node's. @throws {CommandError} if they differ. */
async function compareWithNode({ database, chain, to }: RepairOptions): Promise<string> {
  const { id, name } = chain;
  const urls = nodeUrlsOf(chain);
  if (urls.length === 0) return `No node is configured: block ${to} was not compared.`;
  const rpc = await connectToRespondingNode(urls, { retries: 0, timeoutMilliseconds: 10_000 });
  try {
    const stored = (await createStoredLedger(database, id).hashes(to, to)).get(to);
    const block = await rpc.request("eth_getBlockByNumber", [`0x${to.toString(16)}`, false]);
    const reported = typeof block === "object" && block !== null && "hash" in block ? block.hash : null;
    if (reported === stored) return `The node has the same block ${to} as the index.`;
    throw new CommandError(
      `The node of ${name} has a different block ${to} (${String(reported)}) than the index (${stored}): choose a lower block, or use another node.`,
    );
  } catch (error) {
    if (error instanceof CommandError) throw error;
    return `The node did not respond: block ${to} was not compared.`;
  } finally {
    await rpc.close();
  }
}

async function rewind(
  client: DatabaseClient,
  { database, chain, protocols, to }: RepairOptions,
  { indexedFrom, missing }: ChainRecord,
  checkpoints: ReadonlyMap<string, Checkpoint>,
): Promise<void> {
  const isPruned = missing.includes(features.archiveState);
  const declared = openProtocols({ database, chain, protocols, readerRole: null, isPruned, logger: { info: () => undefined } });
  // A projection without a checkpoint for its current version is not rolled back: it is rebuilt when the index is opened.
  const built = [createStoredLedger(database, chain.id).projection, ...projections, ...declared.projections].filter(
    ({ id, version }) => checkpoints.get(id)?.version === version,
  );
  const ids = new Set(built.map(({ id }) => id));
  const tables = [...blockBoundTables, ...declared.blockBoundTables].filter(
    ({ projection }) => projection === undefined || ids.has(projection.id),
  );
  await rollBack(client, chain.id, to, Math.max(indexedFrom - 1, 0), built, tables);
  await client.query("UPDATE chains SET finalized_block = least(finalized_block, $2) WHERE chain_id = $1", [chain.id, to]);
}
