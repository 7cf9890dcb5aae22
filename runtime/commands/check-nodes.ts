import { createRpc } from "../chain/rpc.ts";
import type { ChainConfig } from "../config/config.ts";
import type { Queryable } from "../database/database.ts";
import { readChain } from "../indexer/chain-row.ts";
import { IndexMismatchError, refuseChainId, refuseFirstBlock } from "../indexer/errors.ts";
import { CommandError } from "./command-error.ts";

/**
 * Refuses what could not be indexed before a server answers for it: a new chain whose node is of another one, and a first block above the node's head. A node
 * that does not answer is left to the indexer, which tries again; of a chain whose index goes on as it was begun none is asked. @throws {CommandError}
 */
export async function checkNodes(chains: readonly ChainConfig[], database: Queryable): Promise<void> {
  await Promise.all(chains.map((chain) => checkNode(chain, database)));
}

async function checkNode(chain: ChainConfig, database: Queryable): Promise<void> {
  const record = await readChain(database, chain.id);
  const goesOn = record !== null && [0, record.indexedFrom].includes(chain.from);
  const node = chain.rpc === undefined || goesOn ? null : await ask(chain.rpc);
  if (node === null) return;
  try {
    refuseChainId(chain, node.chainId);
    refuseFirstBlock(chain, node.head);
  } catch (error) {
    throw error instanceof IndexMismatchError ? new CommandError(error.message) : error;
  }
}

async function ask(url: string): Promise<{ readonly chainId: number; readonly head: number } | null> {
  const rpc = createRpc({ url, retries: 1, timeoutMilliseconds: 5_000 });
  try {
    const [chainId, head] = (await rpc.batch(["eth_chainId", "eth_blockNumber"].map((method) => ({ method, params: [] })))).map(Number);
    const isWhole = (value: number | undefined): value is number => Number.isSafeInteger(value);
    return isWhole(chainId) && isWhole(head) ? { chainId, head } : null;
  } catch {
    return null;
  } finally {
    await rpc.close();
  }
}
