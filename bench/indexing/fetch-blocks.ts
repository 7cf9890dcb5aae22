import { Pool } from "undici";
import type { RunOptions } from "./runs.ts";

const blocksPerRequest = 50;
const requestsInFlight = 4;

/** Fetches blocks 0 to the head with their receipts, and discards them. */
export async function fetchBlocks(options: Pick<RunOptions, "rpc" | "head" | "traces">): Promise<void> {
  const pool = new Pool(new URL(options.rpc).origin, { connections: requestsInFlight });
  let next = 0;
  const work = async (): Promise<void> => {
    while (next <= options.head) {
      const first = next;
      next += blocksPerRequest;
      await fetchRange(pool, first, Math.min(options.head, next - 1), options.traces);
    }
  };
  await Promise.all(Array.from({ length: requestsInFlight }, work));
  await pool.close();
}

async function fetchRange(pool: Pool, first: number, last: number, traces: boolean): Promise<void> {
  const heights = Array.from({ length: last - first + 1 }, (_, index) => `0x${(first + index).toString(16)}`);
  const calls = heights.flatMap((height) => [
    { method: "eth_getBlockByNumber", params: [height, true] },
    { method: "eth_getBlockReceipts", params: [height] },
    ...(traces ? [{ method: "trace_block", params: [height] }] : []),
  ]);
  const { statusCode, body } = await pool.request({
    path: "/",
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(calls.map((call, index) => ({ jsonrpc: "2.0", id: index, ...call }))),
  });
  const responses = (await body.json()) as { result?: unknown }[];
  if (statusCode !== 200 || responses.length !== calls.length || responses.some(({ result }) => !result))
    throw new Error(`Failed to fetch blocks ${first} to ${last}: HTTP status ${statusCode}, or a call without a result`);
}
