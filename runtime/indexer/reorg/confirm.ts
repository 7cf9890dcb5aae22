import { BadReplyError } from "../../chain/errors.ts";
import type { Source } from "../../chain/source.ts";
import type { ChainBlock } from "../../chain/types.ts";
import { sleep } from "../../lib/async.ts";
import type { ChainRecord } from "../storage/chain-record.ts";
import type { IndexedChain } from "../types.ts";

const confirmations = 3;
const waitMilliseconds = 300;

/** Before anything is taken back: the node is still one of this chain. A gateway may have led to another one. @throws {BadReplyError} */
export const confirmChain = async (
  source: Pick<Source, "chainId" | "genesisHash">,
  chain: IndexedChain,
  record: ChainRecord | null,
): Promise<void> => {
  const [chainId, genesisHash] = await Promise.all([source.chainId(), source.genesisHash()]);
  if (chainId !== chain.id || (record !== null && record.genesisHash !== genesisHash)) {
    throw new BadReplyError(`The node of ${chain.name} answers for another chain (chain ${chainId}, genesis block ${genesisHash}).`);
  }
};

/** The first block of an index has no stored parent that vouches for it: it is asked for a second time. @throws {BadReplyError} */
export const confirmFirst = async (source: Pick<Source, "chainId" | "hashesOf">, chain: IndexedChain, first: ChainBlock): Promise<void> => {
  const [chainId, [hash]] = await Promise.all([source.chainId(), source.hashesOf([first.number])]);
  if (chainId !== chain.id || hash !== first.hash) {
    throw new BadReplyError(`The node of ${chain.name} is not sure of its block ${first.number}.`);
  }
};

/** A finalized block that is another one stops the loop for good: so it is looked at again. @throws {BadReplyError} when the node changes its mind. */
export const confirmAncestor = async (find: () => Promise<number>, ancestor: number): Promise<void> => {
  for (let count = 0; count < confirmations; count += 1) {
    await sleep(waitMilliseconds);
    const found = await find();
    if (found !== ancestor) throw new BadReplyError(`The node has the stored block ${found} after all.`);
  }
};
