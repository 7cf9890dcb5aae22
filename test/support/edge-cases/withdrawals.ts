import { type Address, type Hex, toHex } from "viem";
import type { TestChain } from "../chain.ts";
import { type RpcProxy, startRpcProxy } from "../rpc-proxy.ts";

interface Withdrawal {
  readonly index: Hex;
  readonly validatorIndex: Hex;
  readonly address: Address;
  readonly amount: Hex;
}

/** A proxy for a node that adds withdrawals to its blocks. */
export interface WithdrawingNode extends RpcProxy {
  /** Adds withdrawals (EIP-4895) to the head block. Call it before the next block is mined. */
  withdraw(...withdrawals: readonly { readonly address: Address; readonly gwei: bigint }[]): Promise<void>;
}

/**
 * Anvil has no consensus layer and mines blocks without withdrawals. A withdrawal only increases a balance after the last transaction of its block, so the
 * balances are set at the head, and the proxy adds the withdrawal list to the block in the node's responses.
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
