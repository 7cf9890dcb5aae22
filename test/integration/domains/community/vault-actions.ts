import { decodeEventLog, parseAbiItem, toEventSelector } from "viem";
import { type Address, type Hex, zeroAddress } from "../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../support/chain.ts";
import { deposit, withdraw } from "./support.ts";

/** An account's action with a vault, and the amounts that the account gave and received. */
interface VaultAction {
  readonly action: string;
  readonly block_height: number;
  readonly log_offset: number;
  readonly tx_hash: Hex;
  readonly pool_address: Address;
  readonly amounts: readonly { readonly direction: "IN" | "OUT"; readonly amount: string }[];
}

interface NodeLog {
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
  readonly address: Address;
}

/** The ERC-4626 events, and their parameters for the giver, the receiver, both amounts and the sender. */
const kinds = {
  deposit: { text: deposit, giver: "sender", receiver: "owner", given: "assets", received: "shares", sender: "sender" },
  withdraw: { text: withdraw, giver: "owner", receiver: "receiver", given: "shares", received: "assets", sender: "sender" },
  transfer: {
    text: "Transfer(address indexed from, address indexed to, uint256 value)",
    giver: "from",
    receiver: "to",
    given: "value",
    received: "value",
    sender: "from",
  },
} as const;

/** An account's actions from the node's logs, newest first. */
export const actionsOf = async (chain: TestChain, vaults: readonly Address[], wallet: Address): Promise<VaultAction[]> => {
  const found: VaultAction[] = [];
  for (const [action, kind] of Object.entries(kinds)) {
    const topics = [toEventSelector(kind.text.replaceAll("indexed ", ""))];
    const logs = await chain.rpc<NodeLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", address: vaults, topics }]);
    for (const log of logs) {
      const amounts = amountsOf(kind, log, wallet);
      if (amounts === null) continue;
      found.push({
        action,
        block_height: Number(log.blockNumber),
        log_offset: Number(log.logIndex),
        tx_hash: log.transactionHash,
        pool_address: log.address,
        amounts,
      });
    }
  }
  return found.sort((left, right) => right.block_height - left.block_height || right.log_offset - left.log_offset);
};

/**
 * The amounts that a log moved for an account; null if the log is not one of the account's actions. Transfers from and to the zero address are
 * parts of deposits and withdrawals.
 */
const amountsOf = (kind: (typeof kinds)[keyof typeof kinds], { topics, data }: NodeLog, wallet: Address): VaultAction["amounts"] | null => {
  const { args } = decodeEventLog({ abi: [parseAbiItem(`event ${kind.text}`)], topics, data }) as { args: unknown };
  const argument = (name: string): string => String((args as Record<string, unknown>)[name]).toLowerCase();
  const accounts = [argument(kind.giver), argument(kind.receiver)];
  if (accounts.includes(zeroAddress) || ![...accounts, argument(kind.sender)].includes(wallet)) return null;
  return [
    ...(accounts[0] === wallet ? [{ direction: "OUT" as const, amount: argument(kind.given) }] : []),
    ...(accounts[1] === wallet ? [{ direction: "IN" as const, amount: argument(kind.received) }] : []),
  ];
};
