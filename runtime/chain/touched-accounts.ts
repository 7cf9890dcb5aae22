import type { Address, Hash } from "../lib/hex.ts";
import type { ChainBlock, ChainTransaction } from "./types.ts";

/**
 * The accounts whose native balance a block may have changed, without duplicates: senders, recipients, created contracts, the miner, recipients of
 * withdrawals, both sides of traced transfers and, because internal calls may be untraced, log emitters and addresses in topics. `systemAccounts` are
 * accounts that a network credits or debits although the block does not mention them.
 */
export const touchedAccounts = (block: ChainBlock, systemAccounts: readonly Address[] = []): Address[] => [
  ...new Set([
    block.miner,
    ...block.transactions.flatMap(accountsIn),
    ...block.withdrawals.map(({ address }) => address),
    ...systemAccounts,
  ]),
];

const accountsIn = ({ from, to, createdContract, traces, logs }: ChainTransaction): Address[] => {
  const internal = (traces ?? []).flatMap((trace) => [trace.from, trace.to]);
  const logged = logs.flatMap(({ address, topics }) => [address, ...topics.filter(isAddressShaped).map(addressIn)]);
  return [from, to, createdContract, ...internal, ...logged].filter((account) => account !== null);
};

const addressIn = (topic: Hash): Address => `0x${topic.slice(26)}`;

/** Whether a topic starts with twelve zero bytes, as in an ABI-encoded address. With eight more zero bytes, it is more likely a small number. */
const isAddressShaped = (topic: Hash): boolean => /^0x0{24}/.test(topic) && !/^0x0{40}/.test(topic);
