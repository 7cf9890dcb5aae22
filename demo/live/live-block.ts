import { setTimeout as wait } from "node:timers/promises";
import type { Hex } from "../../runtime/lib/hex.ts";
import type { NodeCall } from "../node/client.ts";
import { baseFeeAt } from "../story/fees.ts";
import { chooseAction } from "./live-actions.ts";
import { dueAnswers } from "./live-feeds.ts";
import type { LiveAction, LiveContext } from "./live-types.ts";

const gwei = 1_000_000_000n;
const maxCallsPerBlock = 4;

const toRequest = (action: LiveAction, nonce: bigint, block: number): NodeCall => ({
  method: "eth_sendTransaction",
  parameters: [
    {
      from: action.from,
      to: action.to,
      value: `0x${(action.value ?? 0n).toString(16)}`,
      data: action.data ?? "0x",
      gas: action.data === undefined ? "0x5208" : "0x61a80",
      nonce: `0x${nonce.toString(16)}`,
      maxFeePerGas: `0x${(baseFeeAt(block) + 3n * gwei).toString(16)}`,
      maxPriorityFeePerGas: `0x${gwei.toString(16)}`,
    },
  ],
});

/** Mines a block with the due feed answers and a few random transactions. */
export const mineLiveBlock = async (context: LiveContext): Promise<void> => {
  const { client, random } = context;
  const head = await client.request<{ number: Hex; timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
  const block = Number(head.number) + 1;
  const time = Math.max(context.now(), Number(head.timestamp) + 1);
  const actions = [...(await dueAnswers(context, time))];
  for (let remaining = random.below(maxCallsPerBlock + 1); remaining > 0; remaining--) actions.push(await chooseAction(context));
  // One action per sender, so that its nonce is the transaction count.
  const distinct = [...new Map(actions.map((action) => [action.from, action])).values()];
  const nonces = await client.batch<Hex>(
    distinct.map(({ from }) => ({ method: "eth_getTransactionCount", parameters: [from, "pending"] })),
  );
  const requests = distinct.map((action, index) => toRequest(action, BigInt(nonces[index] ?? "0x0"), block));
  await client.batch([{ method: "anvil_setNextBlockBaseFeePerGas", parameters: [`0x${baseFeeAt(block).toString(16)}`] }, ...requests]);
  await client.request("evm_mine", [time]);
};

/** Waits; returns false if the signal aborts first. */
export const pause = async (milliseconds: number, signal: AbortSignal): Promise<boolean> => {
  try {
    await wait(milliseconds, undefined, { signal });
    return true;
  } catch {
    return false;
  }
};
