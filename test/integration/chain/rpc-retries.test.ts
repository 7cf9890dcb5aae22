import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { TransportError } from "../../../runtime/chain/errors.ts";
import { createRpc } from "../../../runtime/chain/rpc.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";

let chain: TestChain;
let proxy: RpcProxy;

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
});
afterEach(() => {
  proxy.intercept = null;
});
afterAll(async () => {
  await proxy?.close();
  await chain?.stop();
});

describe("an RPC client", () => {
  const secret = "s3cr3tt0ken";
  const createSecretRpc = (options: Partial<Parameters<typeof createRpc>[0]> = {}) =>
    createRpc({
      url: `http://name:${secret}@${new URL(proxy.url).host}/v3/${secret}?key=${secret}`,
      retries: 2,
      backoffMilliseconds: 5,
      ...options,
    });

  it.each([[429], [503]])("retries after two responses with status %i", async (status) => {
    let failures = 2;
    proxy.intercept = (_body, response) => {
      if (failures === 0) return false;
      failures -= 1;
      response.writeHead(status).end("busy");
      return true;
    };
    const rpc = createSecretRpc();
    expect(await rpc.request("eth_chainId", [])).toBe("0x7a69");
    await rpc.close();
  });

  it.each([
    ["closes the connection", (response: { destroy(): void; end(text: string): void }) => response.destroy()],
    ["responds with status 200 and no JSON", (response: { destroy(): void; end(text: string): void }) => response.end("<html>")],
    ["sends half a response", (response: { destroy(): void; end(text: string): void }) => response.end('{"jsonrpc":"2.0","id":1,"resu')],
    ["does not respond in time", () => undefined],
    [
      "rejects a batch with one error that contains the key",
      (response: { destroy(): void; end(text: string): void }) =>
        response.end(`{"jsonrpc":"2.0","error":{"code":-32000,"message":"project ${secret} at https://x.example/${secret} has no quota"}}`),
    ],
  ])("gives up with an error that hides the URL if the node always %s", async (_, respond) => {
    let attempts = 0;
    proxy.intercept = (_body, response) => {
      attempts += 1;
      respond(response);
      return true;
    };
    const rpc = createSecretRpc({ timeoutMilliseconds: 60 });
    const failure = await rpc
      .batch([
        { method: "eth_chainId", params: [] },
        { method: "eth_blockNumber", params: [] },
      ])
      .catch((error: unknown) => error);
    await rpc.close();
    expect(failure).toBeInstanceOf(TransportError);
    // Two retries, and the calls in the batch one by one if its size may be the cause.
    expect(attempts).toBeGreaterThanOrEqual(3);
    expect(attempts).toBeLessThanOrEqual(8);
    expect(String(failure) + (failure as Error).stack).not.toContain(secret);
  });

  it("does not retry if the node rejects the key", async () => {
    let attempts = 0;
    proxy.intercept = (_body, response) => {
      attempts += 1;
      response.writeHead(401).end();
      return true;
    };
    const rpc = createSecretRpc();
    await expect(rpc.request("eth_chainId", [])).rejects.toThrow(/HTTP status 401/);
    expect(attempts).toBe(1);
    await rpc.close();
  });

  it("never has more requests in flight than configured", async () => {
    let inFlight = 0;
    let maxInFlight = 0;
    proxy.intercept = (body, response) => {
      inFlight += 1;
      maxInFlight = Math.max(maxInFlight, inFlight);
      setTimeout(() => {
        inFlight -= 1;
        const { id } = JSON.parse(body) as { id: number };
        response.end(JSON.stringify({ jsonrpc: "2.0", id, result: "0x1" }));
      }, 5);
      return true;
    };
    const rpc = createSecretRpc({ batchSize: 1, concurrency: 3 });
    const results = await rpc.batch(Array.from({ length: 20 }, () => ({ method: "eth_chainId", params: [] })));
    await rpc.close();
    expect(results).toHaveLength(20);
    expect(maxInFlight).toBe(3);
  });
});
