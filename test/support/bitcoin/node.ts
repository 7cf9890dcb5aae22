import type { BitcoinChain } from "../../../demo/bitcoin/chain.ts";
import { createNodeResponses, latestVersion, type NodeOptions } from "../../../demo/bitcoin/node-responses.ts";
import { startRpcServer } from "../../../demo/bitcoin/rpc-server.ts";

/** A node of tests that serves blocks over the JSON-RPC of Bitcoin Core. */
export interface TestBitcoinNode {
  readonly url: string;
  /** The served branch. */
  chain: BitcoinChain;
  /** Changes a result before it is sent; unchanged by default. */
  tamper: (method: string, result: unknown) => unknown;
  /** How often each method was called. */
  readonly calls: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const credentials = "user:secret";

/** Starts a node on a port that the system assigns. */
export async function startBitcoinNode(chain: BitcoinChain, options: NodeOptions = {}): Promise<TestBitcoinNode> {
  const calls = new Map<string, number>();
  const answer = createNodeResponses(() => node.chain, options);
  const server = await startRpcServer({
    credentials,
    hasVersion2: (options.version ?? latestVersion) >= 280_000,
    answer: (method, params) => {
      calls.set(method, (calls.get(method) ?? 0) + 1);
      return node.tamper(method, answer(method, params));
    },
  });
  const node: TestBitcoinNode = {
    url: `http://${credentials}@127.0.0.1:${server.port}`,
    chain,
    tamper: (_method, result) => result,
    calls,
    stop: server.stop,
  };
  return node;
}
