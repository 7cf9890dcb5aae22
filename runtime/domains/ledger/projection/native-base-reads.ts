import type { ChainBlock, NativeAccounting } from "../../../chain/types.ts";
import type { BaseRead } from "../../../indexer/projection.ts";
import type { Address } from "../../../lib/hex.ts";
import { nativeMovements } from "./native-movements.ts";

/** Lists the base balances to read: of accounts whose native balance these blocks change, each with the first such block. */
export const nativeBaseReads = (blocks: readonly ChainBlock[], accounting: NativeAccounting): BaseRead[] => {
  const first = new Map<Address, number>();
  for (const block of blocks)
    for (const address of touchedAccounts(block, accounting)) if (!first.has(address)) first.set(address, block.number);
  return [...first].map(([address, firstBlock]) => ({ address, firstBlock }));
};

const touchedAccounts = (block: ChainBlock, accounting: NativeAccounting): Address[] => {
  if (accounting === "state") return (block.balances ?? []).map(({ address }) => address);
  if (accounting === "none") return [];
  return nativeMovements(block).flatMap(({ from, to }) => [from, to].filter((side) => side !== null));
};
