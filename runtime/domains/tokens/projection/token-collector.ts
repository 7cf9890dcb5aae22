import type { Row } from "../../../indexer/projection.ts";
import type { State } from "../../../indexer/state/state.ts";
import type { Address } from "../../../lib/hex.ts";
import { tokenMetadataKind } from "./metadata-reads.ts";

/** Collects new tokens' standards, and queues their metadata reads. */
export const createTokenCollector = (state: State) => {
  const seen = new Set<string>();
  const tokens = new Set<Address>();
  const rows: Row[] = [];
  const reads: Row[] = [];
  return {
    standards: rows,
    reads,
    add: (address: Address, standard: number, blockNumber: number): void => {
      const key = `${address}${standard}`;
      if (seen.has(key)) return;
      seen.add(key);
      if (state.get("standards", address, standard) === undefined) rows.push({ address, standard, block_number: blockNumber });
      if (tokens.has(address)) return;
      tokens.add(address);
      if (state.get("metadata", address) === undefined) reads.push({ kind: tokenMetadataKind, key: address, block_number: blockNumber });
    },
  };
};
