import { connect } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createServer, type HttpServer } from "../../../runtime/http/server.ts";

let http: HttpServer;
let port: number;
/** The paths of the requests that the app received. */
const receivedPaths: string[] = [];

beforeAll(async () => {
  http = createServer((request, response) => {
    receivedPaths.push(request.url ?? "");
    response.end("received");
  });
  ({ port } = await http.listen(0, "127.0.0.1"));
});
afterAll(() => http.stop());
beforeEach(() => {
  receivedPaths.length = 0;
});

/** Returns what the server sends until it closes the connection, or until it is silent for half a second and `isOpen` is true. */
const exchange = (bytes: string): Promise<{ readonly received: string; readonly isOpen: boolean }> =>
  new Promise((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes, "latin1"));
    const silence = setTimeout(() => {
      resolve({ received, isOpen: true });
      socket.destroy();
    }, 500);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      silence.refresh();
    });
    socket.on("end", () => {
      clearTimeout(silence);
      resolve({ received, isOpen: false });
    });
    socket.on("error", reject);
  });

const statuses = (received: string): number[] => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status));
const nextRequest = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n";
const withHeader = (header: string, body = "0\r\n\r\n", method = "GET", version = "1.1"): string =>
  `${method} /first HTTP/${version}\r\nHost: x\r\n${header}\r\n\r\n${body}${nextRequest}`;

/** RFC 9112, sections 6.1 and 6.3: if the last transfer coding is not chunked, the length of a request is unknown. */
const codingsWithoutLength = [
  "xchunked",
  "identity",
  "chunked, identity",
  "chunked\r\nTransfer-Encoding: identity",
  '"chunked"',
  "chunked;q=1",
  "",
  "chunked,",
  "\x0bchunked",
];
/** Section 7.1: chunked must not be applied more than once. Servers interpret an empty element differently. */
const ambiguousCodings = ["chunked, chunked", "chunked\r\nTransfer-Encoding: chunked", ",chunked", "chunked, gzip, chunked"];
/** Section 6.1: transfer codings that the server does not support. */
const unsupportedCodings = ["gzip, chunked", "gzip\r\nTransfer-Encoding: chunked", "GZIP , Chunked"];

describe("a Transfer-Encoding", () => {
  it.each([...codingsWithoutLength, ...ambiguousCodings])(
    "is refused with 400 if it is %j, and no later bytes are read",
    async (coding) => {
      const { received, isOpen } = await exchange(withHeader(`Transfer-Encoding: ${coding}`));
      expect([statuses(received), isOpen]).toEqual([[400], false]);
      expect(receivedPaths).toEqual([]);
      expect(JSON.parse(received.split("\r\n\r\n")[1] ?? "")).toMatchObject({ data: null, error: true, error_code: 400 });
    },
  );

  it.each(unsupportedCodings)("is refused with 501 if it is %j, and no later bytes are read", async (coding) => {
    const { received, isOpen } = await exchange(withHeader(`Transfer-Encoding: ${coding}`));
    expect([statuses(received), isOpen]).toEqual([[501], false]);
    expect(receivedPaths).toEqual([]);
    expect(received).toContain("chunked");
    expect(received).toMatch(/^connection: close\r$/im);
  });

  it.each(["POST", "OPTIONS", "HEAD"])("is refused in a %s request if it is unknown", async (method) => {
    const { received, isOpen } = await exchange(withHeader("Transfer-Encoding: xchunked", "0\r\n\r\n", method));
    expect([statuses(received), isOpen]).toEqual([[400], false]);
    expect(receivedPaths).toEqual([]);
  });

  it("is accepted if it is chunked, and the next request starts after the last chunk", async () => {
    for (const coding of ["chunked", "Chunked", "\tchunked "]) {
      receivedPaths.length = 0;
      const body = `${nextRequest.length.toString(16)}\r\n${nextRequest.replace("smuggled", "hidden!!")}\r\n0\r\n\r\n`;
      const { received } = await exchange(withHeader(`Transfer-Encoding: ${coding}`, body));
      expect(statuses(received)).toEqual([200, 200]);
      expect(receivedPaths).toEqual(["/first", "/smuggled"]);
    }
  });

  it("is refused with 400 in an HTTP/1.0 request (RFC 9112, section 6.1)", async () => {
    const { received, isOpen } = await exchange(
      withHeader("Transfer-Encoding: chunked\r\nConnection: keep-alive", "0\r\n\r\n", "GET", "1.0"),
    );
    expect([statuses(received), isOpen]).toEqual([[400], false]);
    expect(receivedPaths).toEqual([]);
  });
});

describe("a request with two lengths or an ambiguous length", () => {
  it.each([
    "Content-Length: 5\r\nTransfer-Encoding: chunked",
    "Transfer-Encoding: chunked\r\nContent-Length: 5",
    "Transfer-Encoding: identity\r\nContent-Length: 5",
    "Content-Length: 5\r\nContent-Length: 5",
    "Content-Length: 5\r\nContent-Length: 6",
    "Content-Length: 5, 5",
    "Content-Length: +5",
    "Content-Length: -5",
    "Content-Length: 0x5",
    "Content-Length: 5 5",
    "Transfer-Encoding : chunked",
    "Transfer-Encoding:\r\n chunked",
  ])("is refused with 400, and no later bytes are read: %j", async (header) => {
    const { received, isOpen } = await exchange(withHeader(header));
    expect([statuses(received), isOpen]).toEqual([[400], false]);
    expect(receivedPaths).toEqual([]);
  });
});

describe("an ambiguous request", () => {
  it("ends after its body if it is a GET request with a body", async () => {
    const hidden = nextRequest.replace("smuggled", "hidden");
    const { received } = await exchange(withHeader(`Content-Length: ${hidden.length}`, hidden));
    expect(statuses(received)).toEqual([200, 200]);
    expect(receivedPaths).toEqual(["/first", "/smuggled"]);
  });

  it("is refused with 400 if it has two Host headers (RFC 9112, section 3.2)", async () => {
    const { received, isOpen } = await exchange(withHeader("Host: y", ""));
    expect([statuses(received), isOpen]).toEqual([[400], false]);
    expect(receivedPaths).toEqual([]);
  });

  it.each(["GET /first HTTP/1.1\nHost: x\n\n", "GET /first HTTP/1.1\r\nHost: x\r\nX-A: a\rX-B: b\r\n\r\n"])(
    "is refused with 400 if it has line endings other than CRLF: %j",
    async (head) => {
      const { received, isOpen } = await exchange(head + nextRequest);
      expect([statuses(received), isOpen]).toEqual([[400], false]);
      expect(receivedPaths).toEqual([]);
    },
  );

  it("ends the connection before the next request if a chunk extension ends in a bare LF", async () => {
    const { received, isOpen } = await exchange(withHeader("Transfer-Encoding: chunked", "2;a\nxx\r\n0\r\n\r\n"));
    expect(isOpen).toBe(false);
    expect(statuses(received).at(-1)).toBe(400);
    expect(receivedPaths).not.toContain("/smuggled");
  });
});
