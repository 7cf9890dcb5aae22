import type { BitcoinChain } from "../../../demo/bitcoin/chain.ts";
import { createRpcHandler, latestVersion, type NodeOptions } from "../../../demo/bitcoin/rpc-handler.ts";
import { startRpcServer } from "../../../demo/bitcoin/rpc-server.ts";

/** A test node that serves blocks over Bitcoin Core's JSON-RPC interface. */
export interface TestBitcoinNode {
  readonly url: string;
  /** The served branch. */
  chain: BitcoinChain;
  /** Changes a result before it is sent; unchanged by default. */
  tamper: (method: string, result: unknown) => unknown;
  /** The number of calls by method. */
  readonly calls: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

const credentials = "user:secret";

/** Starts a node on a port that the operating system assigns. */
export async function startBitcoinNode(chain: BitcoinChain, options: NodeOptions = {}): Promise<TestBitcoinNode> {
  const calls = new Map<string, number>();
  const handle = createRpcHandler(() => node.chain, options);
  const server = await startRpcServer({
    credentials,
    supportsJsonRpc2: (options.version ?? latestVersion) >= 280_000,
    handler: (method, params) => {
      calls.set(method, (calls.get(method) ?? 0) + 1);
      return node.tamper(method, handle(method, params));
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
