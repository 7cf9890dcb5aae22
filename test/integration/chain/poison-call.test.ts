import { encodeFunctionData } from "viem";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { probeCapabilities } from "../../../runtime/chain/capabilities.ts";
import { NoResponseError, TransportError } from "../../../runtime/chain/errors.ts";
import { createRpc, type Rpc } from "../../../runtime/chain/rpc.ts";
import { createSource, type Source } from "../../../runtime/chain/source.ts";
import type { Address, Hex } from "../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../../support/chain.ts";
import { refuseContract } from "../../support/poison-proxy.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";

let chain: TestChain;
let proxy: RpcProxy;
let rpc: Rpc;
let source: Source;
let tokens: Address[];
const totalSupply = encodeFunctionData({ abi: artifacts.erc20().abi, functionName: "totalSupply" }) as Hex;

/** Deploys sixteen tokens; token n has a supply of n + 1. */
beforeAll(async () => {
  chain = await startTestChain();
  tokens = [];
  for (let index = 0; index < 16; index += 1) {
    const token = await chain.deploy(artifacts.erc20(), ["Gold", "GLD"]);
    await chain.send(encodeCall(artifacts.erc20(), token, "mint", [chain.accounts[0], BigInt(index + 1)]));
    await chain.mine();
    tokens.push(token);
  }
  proxy = await startRpcProxy(chain.url);
  rpc = createRpc({ url: proxy.url, retries: 3, backoffMilliseconds: 1, timeoutMilliseconds: 2_000 });
  source = createSource(rpc, await probeCapabilities(rpc), { readsTraces: false });
});
afterEach(() => {
  proxy.intercept = null;
});
afterAll(async () => {
  await rpc?.close();
  await proxy?.close();
  await chain?.stop();
});

const readSupplies = async (): Promise<(bigint | null)[]> => {
  const outcomes = await source.runCalls(
    tokens.map((to) => ({ to, data: totalSupply })),
    await chain.head(),
  );
  return outcomes.map((outcome) => (outcome.ok ? BigInt(outcome.data) : null));
};

describe("a contract whose calls fail at the node", () => {
  it.each([504, 502, 500])("does not affect the other contracts in the request (HTTP status %i)", async (status) => {
    refuseContract(proxy, tokens[5] as Address, status);
    expect(await readSupplies()).toEqual(tokens.map((_, index) => (index === 5 ? null : BigInt(index + 1))));
  });

  it("does not change the size of requests", async () => {
    const before = rpc.limits().batchSize;
    refuseContract(proxy, tokens[5] as Address, 504);
    await readSupplies();
    expect(rpc.limits().batchSize).toBe(before);
  });

  it("fails a single-call request without being reported as a revert", async () => {
    refuseContract(proxy, tokens[5] as Address, 504);
    expect(await source.runCalls([{ to: tokens[5] as Address, data: totalSupply }], await chain.head())).toEqual([
      { ok: false, reverted: false, transientError: expect.any(NoResponseError) },
    ]);
  });

  it("is not considered the cause if the node fails every request", async () => {
    proxy.intercept = (_body, response) => {
      response.writeHead(503).end();
      return true;
    };
    const height = await chain.head();
    await expect(
      source.runCalls(
        tokens.map((to) => ({ to, data: totalSupply })),
        height,
      ),
    ).rejects.toThrow(TransportError);
  });
});
