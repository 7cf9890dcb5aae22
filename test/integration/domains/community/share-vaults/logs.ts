import { decodeEventLog, parseAbiItem, toEventSelector } from "viem";
import { type Address, type Hex, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../../support/chain.ts";

/** A log from the node with its decoded parameters, addresses in lower case and numbers as text. */
export interface NodeEvent {
  readonly address: Address;
  readonly block: number;
  readonly index: number;
  readonly hash: Hex;
  readonly values: Readonly<Record<string, string>>;
}

interface NodeLog {
  readonly address: Address;
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly logIndex: Hex;
  readonly transactionHash: Hex;
}

/** The node's logs of a contract event, given its human-readable signature. */
export const eventsOf = async (chain: TestChain, addresses: readonly Address[], text: string): Promise<NodeEvent[]> => {
  const abi = [parseAbiItem(`event ${text}`)] as const;
  const topics = [toEventSelector(text.replaceAll("indexed ", ""))];
  const logs = await chain.rpc<NodeLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", address: addresses, topics }]);
  return logs.map(({ address, topics: found, data, blockNumber, logIndex, transactionHash }) => {
    const { args } = decodeEventLog({ abi, topics: found, data }) as { args: unknown };
    const values = Object.entries(args as Record<string, unknown>).map(([name, value]) => [name, String(value).toLowerCase()]);
    return { address, block: Number(blockNumber), index: Number(logIndex), hash: transactionHash, values: Object.fromEntries(values) };
  });
};

/** The sender of a transaction. */
const senderOf = async (chain: TestChain, hash: Hex): Promise<Address> =>
  (await chain.rpc<{ from: Address }>("eth_getTransactionByHash", [hash])).from;

/** An amount that an account paid or received: direction, token, amount. */
export type Leg = readonly ["IN" | "OUT", Address, string];

/** An action with all amounts that moved, each with the account that paid it (`OUT`) or received it (`IN`). */
export interface ExpectedAction {
  readonly action: string;
  readonly event: NodeEvent;
  /** Accounts that took part without an amount, such as the sender of a withdrawal. */
  readonly others?: readonly Address[];
  readonly legs: readonly (readonly [Address, Leg])[];
}

/** A wallet's actions as items of its transactions, newest first. */
export const actionsOfWallet = async (chain: TestChain, actions: readonly ExpectedAction[], wallet: Address) => {
  const walletActions = actions
    .map((action) => ({ ...action, amounts: action.legs.flatMap(([account, leg]) => (account === wallet ? [leg] : [])) }))
    .filter(({ amounts, others = [] }) => amounts.length > 0 || others.includes(wallet))
    .sort((left, right) => right.event.block - left.event.block || right.event.index - left.event.index);
  return Promise.all(
    walletActions.map(async ({ action, event, amounts }) => ({
      action,
      block_height: event.block,
      log_offset: event.index,
      tx_hash: event.hash,
      pool_address: event.address,
      from_address: await senderOf(chain, event.hash),
      // Paid amounts come first.
      amounts: [...amounts.filter(([direction]) => direction === "OUT"), ...amounts.filter(([direction]) => direction === "IN")],
    })),
  );
};

export const isMint = ({ values }: NodeEvent): boolean => values.from === zeroAddress;
export const isBurn = ({ values }: NodeEvent): boolean => values.to === zeroAddress;
export const transferEvent = "Transfer(address indexed from, address indexed to, uint256 value)";

/** The items' actions, with the amounts that moved. */
export const actionsIn = (items: readonly Readonly<Record<string, unknown>>[]) =>
  items.map(({ action, block_height, log_offset, tx_hash, pool_address, from_address, amounts }) => ({
    ...{ action, block_height, log_offset, tx_hash, pool_address, from_address },
    amounts: (amounts as { direction: string; contract_address: string; amount: string }[]).map((leg) => [
      leg.direction,
      leg.contract_address,
      leg.amount,
    ]),
  }));
