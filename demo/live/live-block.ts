import { setTimeout as wait } from "node:timers/promises";
import type { Hex } from "../../runtime/lib/hex.ts";
import type { NodeCall } from "../node/client.ts";
import { baseFeeAt } from "../story/fees.ts";
import { chooseAction } from "./live-actions.ts";
import { dueAnswers } from "./live-feeds.ts";
import type { LiveAction, LiveContext } from "./live-types.ts";

const gwei = 1_000_000_000n;
const maxCallsPerBlock = 4;

const toRequest = (deed: LiveAction, nonce: bigint, block: number): NodeCall => ({
  method: "eth_sendTransaction",
  parameters: [
    {
      from: deed.from,
      to: deed.to,
      value: `0x${(deed.value ?? 0n).toString(16)}`,
      data: deed.data ?? "0x",
      gas: deed.data === undefined ? "0x5208" : "0x61a80",
      nonce: `0x${nonce.toString(16)}`,
      maxFeePerGas: `0x${(baseFeeAt(block) + 3n * gwei).toString(16)}`,
      maxPriorityFeePerGas: `0x${gwei.toString(16)}`,
    },
  ],
});

/** Makes one more block with some activity. */
export const mineLiveBlock = async (life: LiveContext): Promise<void> => {
  const { client, random } = life;
  const head = await client.request<{ number: Hex; timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
  const block = Number(head.number) + 1;
  const time = Math.max(life.now(), Number(head.timestamp) + 1);
  const deeds = [...(await dueAnswers(life, time))];
  for (let left = random.below(maxCallsPerBlock + 1); left > 0; left--) deeds.push(await chooseAction(life));
  // One deed a sender and block: its nonce is then what the node counts.
  const distinct = [...new Map(deeds.map((deed) => [deed.from, deed])).values()];
  const nonces = await client.batch<Hex>(
    distinct.map(({ from }) => ({ method: "eth_getTransactionCount", parameters: [from, "pending"] })),
  );
  const requests = distinct.map((deed, index) => toRequest(deed, BigInt(nonces[index] ?? "0x0"), block));
  await client.batch([{ method: "anvil_setNextBlockBaseFeePerGas", parameters: [`0x${baseFeeAt(block).toString(16)}`] }, ...requests]);
  await client.request("evm_mine", [time]);
};

/** Waits, and gives false when the signal came first. */
export const pause = async (milliseconds: number, signal: AbortSignal): Promise<boolean> => {
  try {
    await wait(milliseconds, undefined, { signal });
    return true;
  } catch {
    return false;
  }
};
