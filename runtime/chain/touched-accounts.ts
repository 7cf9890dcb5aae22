import type { Address, Hash } from "../lib/hex.ts";
import type { ChainBlock, ChainTransaction } from "./types.ts";

/**
 * The accounts whose native balance a block may have changed, each once: senders, recipients, created contracts, the miner, recipients of withdrawals, both
 * sides of traced transfers and, because inner calls may be untraced, emitters of logs and addresses in topics. `also` are accounts that a network credits or
 * debits without naming them.
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

/** Twelve zero bytes, as the ABI pads an address; with eight more it is more likely a small number. */
const isAddressShaped = (topic: Hash): boolean => /^0x0{24}/.test(topic) && !/^0x0{40}/.test(topic);
