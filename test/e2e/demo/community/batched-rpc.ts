import type { NodeClient } from "../../../../demo/node/client.ts";
import type { TestChain } from "../../../support/chain.ts";

interface PendingCall {
  readonly method: string;
  readonly parameters: readonly unknown[];
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Sends all calls from one event loop iteration as a batch. An error in one of them rejects all. */
export const batchedRpc = (client: NodeClient): TestChain["rpc"] => {
  let pending: PendingCall[] = [];
  const flush = async (): Promise<void> => {
    const calls = pending;
    pending = [];
    try {
      const results = await client.batch<unknown>(calls);
      for (const [position, { resolve }] of calls.entries()) resolve(results[position]);
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  };
  return <Result>(method: string, parameters: readonly unknown[] = []) =>
    new Promise<Result>((resolve, reject) => {
      if (pending.length === 0) setImmediate(() => void flush());
      pending.push({ method, parameters, resolve: (result) => resolve(result as Result), reject });
    });
};
