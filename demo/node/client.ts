import { Client } from "undici";

/** One JSON-RPC call. */
export interface NodeCall {
  readonly method: string;
  readonly parameters: readonly unknown[];
}

/** A client of the demo's node, without retries because the node is local. */
export interface NodeClient {
  request<Result>(method: string, parameters?: readonly unknown[]): Promise<Result>;
  /** Returns results in the order of the calls. @throws {Error} with the first error's message. */
  batch<Result>(calls: readonly NodeCall[]): Promise<Result[]>;
  close(): Promise<void>;
}

interface RpcResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Creates a client for a local node. */
export const createNodeClient = (url: string): NodeClient => {
  const client = new Client(url, { headersTimeout: 120_000, bodyTimeout: 120_000 });
  const post = async (body: unknown): Promise<unknown> => {
    const response = await client.request({
      path: "/",
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    return response.body.json();
  };
  const resultOf = (rpcResponse: RpcResponse | undefined, call: NodeCall): unknown => {
    if (rpcResponse === undefined) throw new Error(`The demo's node did not respond to ${call.method}`);
    if (rpcResponse.error !== undefined) throw new Error(`The demo's node rejected ${call.method}: ${rpcResponse.error.message}`);
    return rpcResponse.result;
  };
  return {
    request: async <Result>(method: string, parameters: readonly unknown[] = []) => {
      const rpcResponse = (await post({ jsonrpc: "2.0", id: 0, method, params: parameters })) as RpcResponse;
      return resultOf(rpcResponse, { method, parameters }) as Result;
    },
    batch: async <Result>(calls: readonly NodeCall[]) => {
      if (calls.length === 0) return [];
      const body = calls.map(({ method, parameters }, id) => ({ jsonrpc: "2.0", id, method, params: parameters }));
      const rpcResponses = new Map(((await post(body)) as RpcResponse[]).map((rpcResponse) => [rpcResponse.id, rpcResponse]));
      return calls.map((call, id) => resultOf(rpcResponses.get(id), call) as Result);
    },
    close: () => client.close(),
  };
};

/** Returns a client whose calls reject when the signal aborts; a state dump, for example, takes seconds. */
export const withAbortSignal = (client: NodeClient, signal: AbortSignal | undefined): NodeClient => {
  if (signal === undefined) return client;
  const abortable = <Result>(call: () => Promise<Result>): Promise<Result> =>
    new Promise((resolve, reject) => {
      const rejectAborted = (): void => reject(signal.reason);
      if (signal.aborted) return rejectAborted();
      signal.addEventListener("abort", rejectAborted, { once: true });
      call()
        .then(resolve, reject)
        .finally(() => signal.removeEventListener("abort", rejectAborted));
    });
  return {
    request: (method, parameters) => abortable(() => client.request(method, parameters)),
    batch: (calls) => abortable(() => client.batch(calls)),
    close: client.close,
  };
};
