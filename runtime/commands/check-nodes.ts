import { createRpc } from "../chain/rpc.ts";
import { type AnyChainConfig, type ChainConfig, isEvmChain } from "../config/config.ts";
import { nodeUrlsOf } from "../config/fields.ts";
import type { Queryable } from "../database/database.ts";
import { isUnavailable } from "../database/errors.ts";
import { IndexMismatchError, verifyChainId, verifyFirstBlock } from "../indexer/errors.ts";
import { type ChainRecord, readChain } from "../indexer/storage/chain-record.ts";
import { nullOnAbort } from "../lib/async.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import type { Logger } from "../logger.ts";
import { CommandError } from "./command-error.ts";

/**
 * Checks EVM chains before the server starts: rejects a new chain if its node reports a different chain id, or if its first block is above the node's head.
 * Nodes that do not respond are left to the indexer, which retries; a chain whose index is continued is not checked. If only some chains are rejected, the
 * reasons are logged, the other chains are served, and the indexer rejects the same ones again. @throws {CommandError} if all chains are rejected.
 */
export async function checkNodes(
  chains: readonly AnyChainConfig[],
  databaseOf: (chain: ChainConfig) => Queryable,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const outcomes = await Promise.all(chains.map((chain) => (isEvmChain(chain) ? refusalOf(chain, databaseOf(chain), signal) : null)));
  signal.throwIfAborted();
  const refusals = outcomes.filter((refusal) => refusal !== null);
  if (refusals.length > 0 && refusals.length === chains.length) throw new CommandError(refusals.join("\n"));
  for (const refusal of refusals) logger.error(escapeTerminal(refusal));
}

async function refusalOf(chain: ChainConfig, database: Queryable, signal: AbortSignal): Promise<string | null> {
  let record: ChainRecord | null;
  try {
    record = await readChain(database, chain.id);
  } catch (error) {
    // The indexer checks a lost database's chains.
    if (isUnavailable(error)) return null;
    throw error;
  }
  const isContinued = record !== null && [0, record.indexedFrom].includes(chain.from);
  const node = isContinued ? null : await readFirstNode(nodeUrlsOf(chain), signal);
  if (node === null) return null;
  try {
    verifyChainId(chain, node.chainId);
    verifyFirstBlock(chain, node.head);
    return null;
  } catch (error) {
    if (error instanceof IndexMismatchError) return error.message;
    throw error;
  }
}

type NodeState = { readonly chainId: number; readonly head: number };

/** The chain id and head reported by the first node that responds; null if none does. */
async function readFirstNode(urls: readonly string[], signal: AbortSignal): Promise<NodeState | null> {
  for (const url of urls) {
    const node = await readNode(url, signal);
    if (node !== null || signal.aborted) return node;
  }
  return null;
}

/** The chain id and head reported by a node; null if it does not respond. */
async function readNode(url: string, signal: AbortSignal): Promise<NodeState | null> {
  const rpc = createRpc({ url, retries: 1, timeoutMilliseconds: 5_000 });
  try {
    const responses = rpc.batch(["eth_chainId", "eth_blockNumber"].map((method) => ({ method, params: [] })));
    const [chainId, head] = ((await nullOnAbort(responses, signal)) ?? []).map(Number);
    const isInteger = (value: number | undefined): value is number => Number.isSafeInteger(value);
    return isInteger(chainId) && isInteger(head) ? { chainId, head } : null;
  } catch {
    return null;
  } finally {
    await rpc.close();
  }
}
