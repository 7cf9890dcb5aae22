import type { ChainLog } from "../chain/types.ts";
import type { EventDefinition, MetadataUpdate } from "./decoded-block.ts";
import { hasWords, wordAt } from "./words.ts";

const updateOf = ({ address, index }: ChainLog, transactionIndex: number, fromId: bigint, toId: bigint): MetadataUpdate => ({
  kind: "metadataUpdate",
  address,
  transactionIndex,
  logIndex: index,
  fromId,
  toId,
});

/** EIP-4906's MetadataUpdate(uint256): one id, not indexed. */
export const metadataUpdate: EventDefinition = {
  id: "metadataUpdate",
  topic0: "0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7",
  decode: (log, transactionIndex) => {
    if (log.topics.length !== 1 || !hasWords(log.data, 1)) return null;
    const id = wordAt(log.data, 0);
    return updateOf(log, transactionIndex, id, id);
  },
};

/** EIP-4906's BatchMetadataUpdate(uint256,uint256): the first and the last id. A range that ends below its start is ignored. */
export const batchMetadataUpdate: EventDefinition = {
  id: "batchMetadataUpdate",
  topic0: "0x6bd5c950a8d8df17f772f5af37cb3655737899cbf903264b9795592da439661c",
  decode: (log, transactionIndex) => {
    if (log.topics.length !== 1 || !hasWords(log.data, 2)) return null;
    const [fromId, toId] = [wordAt(log.data, 0), wordAt(log.data, 1)];
    return fromId > toId ? null : updateOf(log, transactionIndex, fromId, toId);
  },
};

/** EIP-1155's URI(string,uint256): the id is indexed. The URI itself is not decoded, because it is read from the contract with the metadata. */
export const uriChanged: EventDefinition = {
  id: "uriChanged",
  topic0: "0x6bb7ff708619ba0610cba295a58592e0451dee2622938c8755667688daf3529b",
  decode: (log, transactionIndex) => {
    const [, id] = log.topics;
    if (id === undefined || log.topics.length !== 2 || !hasWords(log.data, 2)) return null;
    return updateOf(log, transactionIndex, BigInt(id), BigInt(id));
  },
};
