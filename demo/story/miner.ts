import { getContractAddress } from "viem";
import type { Address, Hex } from "../../runtime/lib/hex.ts";
import type { NodeCall, NodeClient } from "../node/client.ts";
import { baseFeeAt, feesAt, quantity } from "./fees.ts";
import type { Call, LabelledTransaction } from "./types.ts";

/** Mines planned calls into deterministic blocks. */
export interface Miner {
  /** Mines one block at this time (Unix seconds). */
  mine(timestamp: number, calls: readonly Call[]): Promise<void>;
  /** The address of the next contract that this account creates. */
  nextContractAddress(from: Address): Address;
  readonly labelledTransactions: ReadonlyMap<string, LabelledTransaction>;
  /** All mined transactions in order. */
  readonly minedTransactions: readonly { readonly hash: Hex; readonly call: Call }[];
  height(): number;
}

/** Creates a miner for a node that mines on demand only; `onBlock` is called after each block. */
export const createMiner = (node: NodeClient, onBlock: (height: number) => Promise<void>): Miner => {
  const nonces = new Map<Address, number>();
  const labelledTransactions = new Map<string, LabelledTransaction>();
  const minedTransactions: { hash: Hex; call: Call }[] = [];
  let height = 0;

  const toRequest = (call: Call, position: number): NodeCall => {
    const nonce = nonces.get(call.from) ?? 0;
    nonces.set(call.from, nonce + 1);
    const transaction = {
      from: call.from,
      ...(call.to === null ? {} : { to: call.to }),
      value: quantity(call.value ?? 0n),
      data: call.data ?? "0x",
      gas: quantity(call.gas ?? (call.data === undefined ? 21_000 : 400_000)),
      nonce: quantity(nonce),
      ...feesAt(height + 1, position, nonce),
    };
    return { method: "eth_sendTransaction", parameters: [transaction] };
  };

  return {
    labelledTransactions,
    minedTransactions,
    height: () => height,
    nextContractAddress: (from) => getContractAddress({ from, nonce: BigInt(nonces.get(from) ?? 0) }).toLowerCase() as Address,
    mine: async (timestamp, calls) => {
      const fee = { method: "anvil_setNextBlockBaseFeePerGas", parameters: [quantity(baseFeeAt(height + 1))] };
      const [, ...hashes] = await node.batch<Hex>([fee, ...calls.map(toRequest)]);
      // A separate request, because the node may run it before the transactions of the same batch.
      await node.request("evm_mine", [timestamp]);
      height += 1;
      calls.forEach((call, index) => {
        const hash = hashes[index] as Hex;
        minedTransactions.push({ hash, call });
        if (call.label !== undefined) labelledTransactions.set(call.label, { hash, block: height });
      });
      await onBlock(height);
    },
  };
};
