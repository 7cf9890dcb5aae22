import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { operations } from "../../../generated/operations.gen.ts";
import type { Compression } from "../../../runtime/http/compression/compression.ts";
import { failureBody, sendJson } from "../../../runtime/http/envelope.ts";
import { sendRendered, sendResponse } from "../../../runtime/http/send-response.ts";
import { createServer, type HttpServer } from "../../../runtime/http/server.ts";

/** A compression that fails, for example because memory is exhausted. */
const compression: Compression = {
  select: () => "gzip",
  encode: async () => {
    throw new Error("The compression failed.");
  },
  createStream: () => {
    throw new Error("The compression failed.");
  },
};
const data = { warning: "careful", items: [], pagination: { has_more: true, total_count: 7 } };
const operation = operations.find(({ csv }) => csv.length > 0);
if (operation === undefined) throw new Error("Expected an operation with CSV.");

let http: HttpServer | undefined;
afterEach(() => http?.stop());

/** Sends an error if sending a response fails, as the application does, and returns its headers. */
async function headersOfFailure(send: (response: ServerResponse) => Promise<void>): Promise<Record<string, string>> {
  http = createServer((_request, response) => {
    response.setHeader("Cache-Control", "no-store");
    send(response).catch(() => sendJson(response, 500, failureBody(500, "Internal server error.")));
  });
  const { port } = await http.listen(0, "127.0.0.1");
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect([response.status, await response.json()]).toMatchObject([500, { error: true }]);
  return Object.fromEntries(response.headers);
}

describe("an error while a response is compressed", () => {
  it("has none of the cached response's headers", async () => {
    const rendered = {
      contentType: "application/json",
      body: Buffer.from("{}"),
      headers: [["X-Warning", "careful"]],
      tag: 'W/"tag"',
      encode: () => compression.encode(Buffer.from("{}"), "gzip"),
      bytes: () => 2,
    } as const;
    const headers = await headersOfFailure((response) => sendRendered(response, rendered, { compression, isPublic: true }));
    expect(headers).toMatchObject({ "cache-control": "no-store", "content-type": "application/json; charset=utf-8" });
    for (const name of ["etag", "x-warning", "content-encoding"]) expect(headers).not.toHaveProperty(name);
  });

  it.each(["json", "csv"] as const)("has no headers for the %s data", async (format) => {
    const headers = await headersOfFailure((response) =>
      sendResponse(response, operation, data, format, { responseBytes: 1_000_000, compression }, () => undefined),
    );
    for (const name of ["x-warning", "x-has-more", "x-total-count", "content-encoding"]) expect(headers).not.toHaveProperty(name);
  });
});
