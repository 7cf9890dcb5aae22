import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createRpc } from "../../../runtime/chain/rpc.ts";

const part = "x".repeat(64 * 1024);
let sent = 0;
/** A node that never ends its response. */
const server = createServer((_, response) => {
  response.on("error", () => undefined);
  const send = (): void => {
    while (!response.destroyed) {
      sent += part.length;
      if (!response.write(part)) return void response.once("drain", send);
    }
  };
  send();
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test("an RPC client stops reading an endless response at the limit", async () => {
  const maxResponseBytes = 1024 * 1024;
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rpc = createRpc({ url, maxResponseBytes, retries: 0, backoffMilliseconds: 1 });
  await expect(rpc.request("eth_chainId", [])).rejects.toThrow(/returned more than 1048576 bytes/);
  await rpc.close();
  // The limit plus two socket buffers.
  expect(sent).toBeLessThan(maxResponseBytes + 16 * 1024 * 1024);
});
