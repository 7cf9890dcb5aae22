import type { Address, Hash } from "../lib/hex.ts";
import type { ChainBlock, ChainTransaction } from "./types.ts";

/**
 * The accounts whose native balance a block may have changed, each once: who sent, received, was created, mined or was paid a withdrawal, who stood on
 * either side of value moved inside, and, as inner calls may be hidden, who emitted a log or is named by a topic. `also` are those that a network pays or
 * charges without naming them.
 */
export const touchedAccounts = (block: ChainBlock, also: readonly Address[] = []): Address[] => [
  ...new Set([block.miner, ...block.transactions.flatMap(partiesOf), ...block.withdrawals.map(({ address }) => address), ...also]),
];

const partiesOf = ({ from, to, createdContract, traces, logs }: ChainTransaction): Address[] => {
  const inner = (traces ?? []).flatMap((trace) => [trace.from, trace.to]);
  const named = logs.flatMap(({ address, topics }) => [address, ...topics.filter(isAddressShaped).map(addressIn)]);
  return [from, to, createdContract, ...inner, ...named].filter((party) => party !== null);
};

const addressIn = (topic: Hash): Address => `0x${topic.slice(26)}`;

/** Twelve zero bytes, as the ABI pads an address; with as many as eight more it is rather a small number. */
const isAddressShaped = (topic: Hash): boolean => /^0x0{24}/.test(topic) && !/^0x0{40}/.test(topic);
