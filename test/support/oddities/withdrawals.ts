import { type Address, type Hex, toHex } from "viem";
import type { TestChain } from "../chain.ts";
import { type RpcProxy, startRpcProxy } from "../rpc-proxy.ts";

interface Withdrawal {
  readonly index: Hex;
  readonly validatorIndex: Hex;
  readonly address: Address;
  readonly amount: Hex;
}

/** A node whose blocks have withdrawals. */
export interface WithdrawingNode extends RpcProxy {
  /** Ends the block at the head with withdrawals (EIP-4895) of so many gwei each. Before anything else is mined. */
  withdraw(...withdrawals: readonly { readonly address: Address; readonly gwei: bigint }[]): Promise<void>;
}

/**
 * Anvil mines blocks without withdrawals, as no consensus layer tells it of any. A withdrawal changes the state after the last transaction of its block and
 * nothing else, so the state at the head is given the amounts, and the block's list of withdrawals is put into the node's replies.
 */
export async function startWithdrawingNode(chain: TestChain): Promise<WithdrawingNode> {
  const byBlock = new Map<Hex, Withdrawal[]>();
  let next = 0;
  const proxy = await startRpcProxy(chain.url);
  proxy.tamper = (method, { result }) => {
    if (method !== "eth_getBlockByNumber" && method !== "eth_getBlockByHash") return;
    const block = result as { hash: Hex; withdrawals?: Withdrawal[] } | null;
    const withdrawals = block === null ? undefined : byBlock.get(block.hash);
    if (block !== null && withdrawals !== undefined) block.withdrawals = withdrawals;
  };
  const withdraw: WithdrawingNode["withdraw"] = async (...withdrawals) => {
    const { hash } = await chain.rpc<{ hash: Hex }>("eth_getBlockByNumber", ["latest", false]);
    for (const { address, gwei } of withdrawals) {
      const before = BigInt(await chain.rpc<Hex>("eth_getBalance", [address, "latest"]));
      await chain.rpc("anvil_setBalance", [address, toHex(before + gwei * 10n ** 9n)]);
      const listed = byBlock.get(hash) ?? [];
      byBlock.set(hash, listed);
      listed.push({ index: toHex(next), validatorIndex: toHex(next), address, amount: toHex(gwei) });
      next += 1;
    }
  };
  return Object.assign(proxy, { withdraw });
}
