import { setTimeout as wait } from "node:timers/promises";
import type { Address, Hex } from "../lib/hex.ts";
import { farDeadline } from "./chapters/exchange-terms.ts";
import type { Artifacts } from "./contracts/artifacts.ts";
import type { NodeCall, NodeClient } from "./node/client.ts";
import type { Cast, Inventory } from "./story/cast.ts";
import { encode, encodeTransfer } from "./story/encode.ts";
import { baseFeeAt } from "./story/fees.ts";
import type { Random } from "./story/random.ts";

const gwei = 1_000_000_000n;
const mostCallsPerBlock = 4;

/** What the life after the story needs. */
export interface Life {
  readonly client: NodeClient;
  readonly cast: Cast;
  readonly inventory: Inventory;
  readonly artifacts: Pick<Artifacts, "router" | "weth">;
  readonly random: Random;
  /** Unix seconds. */
  now(): number;
}

interface Deed {
  readonly from: Address;
  readonly to: Address;
  readonly value?: bigint;
  readonly data?: Hex;
}

/** Something small that anybody of the story can afford; only among those it knows, so that the chain gains no address whose past an index cannot read. */
const chooseDeed = ({ cast, inventory, artifacts, random }: Life): Deed => {
  const people = inventory.people.filter((person) => person !== cast.newcomer);
  const from = random.chance(4) ? (cast.trader as Address) : random.pick(people);
  const to = random.pick(people);
  const value = BigInt(random.between(1, 50)) * 10n ** 14n;
  const kind = random.below(5);
  if (kind === 0) return { from, to, value };
  if (kind === 1) return { from, to: cast.wrappedNative as Address, value, data: encode(artifacts.weth.abi, "deposit") };
  if (kind === 2)
    return {
      from: cast.trader as Address,
      to: cast.usdToken as Address,
      data: encodeTransfer(to, BigInt(random.between(1, 100)) * 10_000n),
    };
  const bought = random.pick([cast.usdToken, cast.goldToken, cast.saltToken]);
  const data = encode(artifacts.router.abi, "swapExactETHForTokens", [0n, [cast.wrappedNative, bought], from, farDeadline]);
  return { from, to: cast.exchangeRouter as Address, value, data };
};

const toRequest = (deed: Deed, nonce: bigint, block: number): NodeCall => ({
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
export const liveOneBlock = async (life: Life): Promise<void> => {
  const { client, random } = life;
  const head = await client.request<{ number: Hex; timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
  const block = Number(head.number) + 1;
  const deeds = Array.from({ length: random.below(mostCallsPerBlock + 1) }, () => chooseDeed(life));
  // One deed a sender and block: its nonce is then what the node counts.
  const distinct = [...new Map(deeds.map((deed) => [deed.from, deed])).values()];
  const nonces = await client.batch<Hex>(
    distinct.map(({ from }) => ({ method: "eth_getTransactionCount", parameters: [from, "pending"] })),
  );
  const requests = distinct.map((deed, index) => toRequest(deed, BigInt(nonces[index] ?? "0x0"), block));
  await client.batch([{ method: "anvil_setNextBlockBaseFeePerGas", parameters: [`0x${baseFeeAt(block).toString(16)}`] }, ...requests]);
  await client.request("evm_mine", [Math.max(life.now(), Number(head.timestamp) + 1)]);
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
