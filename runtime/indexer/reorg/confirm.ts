import { InvalidResponseError } from "../../chain/errors.ts";
import type { Source } from "../../chain/source.ts";
import type { ChainBlock } from "../../chain/types.ts";
import { sleep } from "../../lib/async.ts";
import type { ChainRecord } from "../storage/chain-record.ts";
import type { IndexedChain } from "../types.ts";

const confirmationCount = 3;

/**
 * Checks before a rollback that the node still serves this chain: a gateway may have routed requests to a node of a different chain.
 * @throws {InvalidResponseError}
 */
export const confirmChain = async (
  source: Pick<Source, "chainId" | "genesisHash">,
  chain: IndexedChain,
  record: ChainRecord | null,
): Promise<void> => {
  const [chainId, genesisHash] = await Promise.all([source.chainId(), source.genesisHash()]);
  if (chainId !== chain.id || (record !== null && record.genesisHash !== genesisHash)) {
    const expected = `chain id ${chain.id}${record === null ? "" : ` and genesis block ${record.genesisHash}`}`;
    throw new InvalidResponseError(
      `The node of ${chain.name} now serves a different chain: it has chain id ${chainId} and genesis block ${genesisHash}, expected ${expected}.`,
    );
  }
};

/**
 * Requests the first block of an index a second time, because it has no stored parent to compare with.
 * @throws {InvalidResponseError} if the responses differ.
 */
export const confirmFirstBlock = async (
  source: Pick<Source, "chainId" | "hashesOf">,
  chain: IndexedChain,
  first: ChainBlock,
): Promise<void> => {
  const [chainId, [hash]] = await Promise.all([source.chainId(), source.hashesOf([first.number])]);
  if (chainId !== chain.id)
    throw new InvalidResponseError(`The node of ${chain.name} now reports chain id ${chainId}, expected ${chain.id}.`);
  if (hash !== first.hash)
    throw new InvalidResponseError(`The node of ${chain.name} returned two different hashes for block ${first.number}.`);
};

/** Repeats the ancestor search, because a replaced finalized block stops indexing permanently. @throws {InvalidResponseError} if the ancestors differ. */
export const confirmAncestor = async (find: () => Promise<number>, ancestor: number, waitMilliseconds: number): Promise<void> => {
  for (let count = 0; count < confirmationCount; count += 1) {
    await sleep(waitMilliseconds);
    const found = await find();
    if (found !== ancestor)
      throw new InvalidResponseError(
        `The node's responses are inconsistent: the common ancestor is block ${ancestor}, then block ${found}.`,
      );
  }
};
