import type { ChainLog } from "../chain/types.ts";
import type { EventDefinition, EventPosition } from "./decoded-block.ts";
import { addressAt, hasWords, topicAddress, wordAt } from "./words.ts";

const positionOf = (log: ChainLog, transactionIndex: number): EventPosition => ({
  address: log.address,
  transactionIndex,
  logIndex: log.index,
});

/** keccak-256("Approval(address,address,uint256)"): the same for ERC-20 and ERC-721, which differ in their indexed parameters. */
const approvalTopic = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";

/** EIP-20: two indexed addresses, and the amount in the data. EIP-2612's permit also emits it. */
export const erc20Approval: EventDefinition = {
  id: "erc20Approval",
  topic0: approvalTopic,
  decode: (log, transactionIndex, addressOf = topicAddress) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 1)) return null;
    const owner = addressOf(log.topics[1]);
    const spender = addressOf(log.topics[2]);
    if (owner === null || spender === null) return null;
    return { kind: "erc20Approval", ...positionOf(log, transactionIndex), owner, spender, amount: wordAt(log.data, 0) };
  },
};

/** EIP-721: all three parameters are indexed. */
export const erc721Approval: EventDefinition = {
  id: "erc721Approval",
  topic0: approvalTopic,
  decode: (log, transactionIndex, addressOf = topicAddress) => {
    if (log.topics.length !== 4) return null;
    const owner = addressOf(log.topics[1]);
    const spender = addressOf(log.topics[2]);
    const tokenId = log.topics[3];
    if (owner === null || spender === null || tokenId === undefined) return null;
    return { kind: "erc721Approval", ...positionOf(log, transactionIndex), owner, spender, tokenId: BigInt(tokenId) };
  },
};

/** Emitted by collections that predate the final EIP-721: no parameter is indexed, all three are in the data. */
export const legacyErc721Approval: EventDefinition = {
  id: "legacyErc721Approval",
  topic0: approvalTopic,
  decode: (log, transactionIndex) => {
    if (log.topics.length !== 1 || !hasWords(log.data, 3)) return null;
    const owner = addressAt(log.data, 0);
    const spender = addressAt(log.data, 1);
    if (owner === null || spender === null) return null;
    return { kind: "erc721Approval", ...positionOf(log, transactionIndex), owner, spender, tokenId: wordAt(log.data, 2) };
  },
};

/** ApprovalForAll(address,address,bool) of EIP-721 and EIP-1155. A word other than 0 and 1 is not a bool. */
export const approvalForAll: EventDefinition = {
  id: "approvalForAll",
  topic0: "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
  decode: (log, transactionIndex, addressOf = topicAddress) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 1)) return null;
    const owner = addressOf(log.topics[1]);
    const operator = addressOf(log.topics[2]);
    const approved = wordAt(log.data, 0);
    if (owner === null || operator === null || approved > 1n) return null;
    return { kind: "approvalForAll", ...positionOf(log, transactionIndex), owner, operator, approved: approved === 1n };
  },
};
