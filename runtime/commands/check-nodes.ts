import { createRpc } from "../chain/rpc.ts";
import type { ChainConfig } from "../config/config.ts";
import type { Queryable } from "../database/database.ts";
import { IndexMismatchError, refuseChainId, refuseFirstBlock } from "../indexer/errors.ts";
import { readChain } from "../indexer/storage/chain-record.ts";
import { nullOnAbort } from "../lib/async.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import type { Logger } from "../logger.ts";
import { CommandError } from "./command-error.ts";

/**
 * Finds chains that could not be indexed before a server answers for them: a new chain whose node is of another one, and a first block above the node's head.
 * A node that does not answer is left to the indexer, which tries again; of a chain whose index goes on as it was begun none is asked. Where only some chains
 * are refused, the others are served, and the indexer refuses those again. @throws {CommandError} when all are refused. @throws the signal's reason.
 */
export async function checkNodes(chains: readonly ChainConfig[], database: Queryable, logger: Logger, signal: AbortSignal): Promise<void> {
  const outcomes = await Promise.all(chains.map((chain) => refusalOf(chain, database, signal)));
  signal.throwIfAborted();
  const refusals = outcomes.filter((refusal) => refusal !== null);
  if (refusals.length > 0 && refusals.length === chains.length) throw new CommandError(refusals.join("\n"));
  for (const refusal of refusals) logger.error(escapeTerminal(refusal));
}

async function refusalOf(chain: ChainConfig, database: Queryable, signal: AbortSignal): Promise<string | null> {
  const record = await readChain(database, chain.id);
  const goesOn = record !== null && [0, record.indexedFrom].includes(chain.from);
  const node = chain.rpc === undefined || goesOn ? null : await ask(chain.rpc, signal);
  if (node === null) return null;
  try {
    refuseChainId(chain, node.chainId);
    refuseFirstBlock(chain, node.head);
    return null;
  } catch (error) {
    if (error instanceof IndexMismatchError) return error.message;
    throw error;
  }
}

async function ask(url: string, signal: AbortSignal): Promise<{ readonly chainId: number; readonly head: number } | null> {
  const rpc = createRpc({ url, retries: 1, timeoutMilliseconds: 5_000 });
  try {
    const asked = rpc.batch(["eth_chainId", "eth_blockNumber"].map((method) => ({ method, params: [] })));
    const [chainId, head] = ((await nullOnAbort(asked, signal)) ?? []).map(Number);
    const isWhole = (value: number | undefined): value is number => Number.isSafeInteger(value);
    return isWhole(chainId) && isWhole(head) ? { chainId, head } : null;
  } catch {
    return null;
  } finally {
    await rpc.close();
  }
}
