import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { fetchChainId } from "../../../runtime/commands/fetch-chain-id.ts";

/** Starts a server that responds to every request with the same fields of a JSON-RPC response. Real nodes do not return such chain ids. */
const startNode = async (fields: object): Promise<string> => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, ...fields });
  const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

test("fetchChainId returns the chain id of the first node that has a valid one", async () => {
  const urls = [await startNode({ result: "0x0" }), await startNode({ result: "0x7a69" }), await startNode({ result: "0x5" })];
  expect(await fetchChainId("one", urls)).toBe(31337);
});

test("fetchChainId reports what failed at each node", async () => {
  const urls = [await startNode({ result: "0x0" }), await startNode({ error: { code: -32601, message: "no such method" } })];
  await expect(fetchChainId("one", urls)).rejects.toThrow(
    /^Cannot read the chain id of one from any of its nodes \(the node returned an invalid chain id; .*no such method.*\); check --rpc or its rpc/,
  );
});
