import { BadReplyError } from "../../chain/errors.ts";
import type { Source } from "../../chain/source.ts";
import type { ChainBlock } from "../../chain/types.ts";
import { sleep } from "../../lib/async.ts";
import type { ChainRecord } from "../storage/chain-record.ts";
import type { IndexedChain } from "../types.ts";

const confirmations = 3;

/** Verifies before a roll-back that the node still serves this chain: a gateway may have routed requests to a node of another chain. @throws {BadReplyError} */
export const confirmChain = async (
  source: Pick<Source, "chainId" | "genesisHash">,
  chain: IndexedChain,
  record: ChainRecord | null,
): Promise<void> => {
  const [chainId, genesisHash] = await Promise.all([source.chainId(), source.genesisHash()]);
  if (chainId !== chain.id || (record !== null && record.genesisHash !== genesisHash)) {
    throw new BadReplyError(`The node of ${chain.name} serves another chain (chain ${chainId}, genesis block ${genesisHash}).`);
  }
};

/** Requests the first block of an index again, because it has no stored parent to compare with. @throws {BadReplyError} */
export const confirmFirst = async (source: Pick<Source, "chainId" | "hashesOf">, chain: IndexedChain, first: ChainBlock): Promise<void> => {
  const [chainId, [hash]] = await Promise.all([source.chainId(), source.hashesOf([first.number])]);
  if (chainId !== chain.id || hash !== first.hash) {
    throw new BadReplyError(`The node of ${chain.name} returned two different blocks ${first.number}.`);
  }
};

/** Finds the ancestor several times again, because a replaced finalized block stops indexing permanently. @throws {BadReplyError} if the ancestors differ. */
export const confirmAncestor = async (find: () => Promise<number>, ancestor: number, waitMilliseconds: number): Promise<void> => {
  for (let count = 0; count < confirmations; count += 1) {
    await sleep(waitMilliseconds);
    const found = await find();
    if (found !== ancestor) throw new BadReplyError(`The node returned different common ancestors: blocks ${ancestor} and ${found}.`);
  }
};
