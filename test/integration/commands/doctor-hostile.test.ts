import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandRunner } from "../../support/commands/command-line.ts";

/** A fake node, because no real node returns errors with control characters. */
let node: Server;
const { runToExit } = createCommandRunner(() => ({ folder: ".", url: "" }));

beforeAll(async () => {
  node = createServer((_request, response) => {
    response.setHeader("Content-Type", "application/json");
    response.end(
      JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32_000, message: "No \u001b]0;owned\u0007 \u202eegnahc \u2028 \u009b2J" } }),
    );
  });
  await new Promise<void>((resolve) => node.listen(0, "127.0.0.1", resolve));
});
afterAll(() => new Promise((resolve) => node.close(resolve)));

describe("ashlar doctor", () => {
  it("escapes control characters in the node's responses", async () => {
    const [code, output] = await runToExit(["doctor", "--rpc", `http://127.0.0.1:${(node.address() as AddressInfo).port}`]);
    expect(code).toBe(1);
    expect(output).toContain("This node cannot be used");
    expect(output).toContain("\\u202eegnahc");
    expect(output).not.toMatch(/(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
  });
});
