import { decodeEventLog } from "viem";
import type { Address, Hash, Hex } from "../../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../../support/chain.ts";
import { pairLogs, uniswapV2 } from "../../pools/support.ts";

/** A wallet's action and its position in the chain. */
export interface PoolAction {
  readonly action: string;
  readonly block_height: number;
  readonly log_offset: number;
  readonly tx_hash: Hash;
  readonly pool_address: Address;
  readonly from_address: Address;
}

const actionNames: Readonly<Record<string, string>> = { Swap: "swap", Mint: "add_liquidity", Burn: "remove_liquidity" };
const toLower = (address: unknown): Address => String(address).toLowerCase() as Address;

/**
 * A wallet's actions on pools, from the node's logs, newest first. The wallet sent the transaction, called the pool, or received what the pool
 * paid. The recipient of minted pool tokens is in the transfer that precedes Mint.
 */
export const actionsOf = async (chain: TestChain, pools: readonly Address[], wallet: Address, height: number): Promise<PoolAction[]> => {
  const logs = await pairLogs(chain, pools, height);
  const found: PoolAction[] = [];
  for (const [position, { name, args, block, index, transaction, address }] of logs.entries()) {
    const action = actionNames[name];
    if (action === undefined) continue;
    const { from } = await chain.rpc<{ from: Address }>("eth_getTransactionByHash", [transaction]);
    const minted = logs.slice(0, position).findLast((log) => log.address === address && log.name === "Transfer");
    const recipient = name === "Mint" ? minted?.args.to : args.to;
    if (![from, args.sender, recipient].map(toLower).includes(wallet)) continue;
    found.push({
      action,
      block_height: block,
      log_offset: index,
      tx_hash: transaction,
      pool_address: address,
      from_address: toLower(from),
    });
  }
  return found.sort((left, right) => right.block_height - left.block_height || right.log_offset - left.log_offset);
};

/** A wallet's net receipts by token in a transaction, from the transfers in the node's logs. */
export const flowsOf = async (chain: TestChain, hash: Hash, wallet: Address): Promise<Record<Address, bigint>> => {
  const { logs } = await chain.rpc<{ logs: { address: Address; topics: [Hex, ...Hex[]]; data: Hex }[] }>("eth_getTransactionReceipt", [
    hash,
  ]);
  const flows: Record<Address, bigint> = {};
  for (const { address, topics, data } of logs) {
    // keccak256 of Transfer(address,address,uint256), EIP-20.
    if (topics[0] !== "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef") continue;
    const { args } = decodeEventLog({ abi: uniswapV2.pair().abi, topics, data }) as unknown as {
      args: { from: Address; to: Address; value: bigint };
    };
    const change = (toLower(args.to) === wallet ? args.value : 0n) - (toLower(args.from) === wallet ? args.value : 0n);
    flows[address] = (flows[address] ?? 0n) + change;
  }
  return Object.fromEntries(Object.entries(flows).filter(([, flow]) => flow !== 0n));
};
