import { connect } from "node:net";

/** A complete response as a load connection counts it. */
export interface ReceivedResponse {
  readonly milliseconds: number;
  readonly status: number;
  /** Bytes of the body as sent. */
  readonly bytes: number;
  /** Whether the response came from the server's cache. */
  readonly isCached: boolean;
}

/** The options of a load connection. */
export interface ConnectionOptions {
  readonly host: string;
  readonly port: number;
  /** The complete text of the next request; null to close the connection. */
  readonly next: () => string | null;
  readonly onResponse: (response: ReceivedResponse) => void;
}

const headEnd = Buffer.from("\r\n\r\n");
const cachedResponse = /\r\nx-cache: *hit/i;
const contentLength = /\r\ncontent-length: *(\d+)/i;

/**
 * Runs one keep-alive connection that sends the next request when a response is complete. It parses only the status, the length and the cache
 * header of a response, so that the load uses little of the CPU time that it measures. Resolves when the connection is closed.
 * @throws {Error} if a response has no Content-Length or the connection breaks.
 */
export function runConnection({ host, port, next, onResponse }: ConnectionOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true });
    let head: Buffer = Buffer.alloc(0);
    let missingBytes: number | null = null;
    let [startedAt, status, bytes] = [0, 0, 0];
    let isCached = false;
    const send = (): void => {
      const request = next();
      if (request === null) {
        socket.end();
        resolve();
        return;
      }
      startedAt = performance.now();
      socket.write(request);
    };
    const readHead = (part: Buffer): number => {
      head = head.length === 0 ? part : Buffer.concat([head, part]);
      const end = head.indexOf(headEnd);
      if (end < 0) return 0;
      const text = head.toString("latin1", 0, end);
      const length = contentLength.exec(text)?.[1];
      if (length === undefined) throw new Error(`A response has no Content-Length: ${text.slice(0, 200)}`);
      status = Number(text.slice(9, 12));
      bytes = Number(length);
      isCached = cachedResponse.test(text);
      missingBytes = bytes;
      const rest = head.length - end - headEnd.length;
      head = Buffer.alloc(0);
      return rest;
    };
    socket.on("connect", send);
    socket.on("data", (part) => {
      try {
        const body = missingBytes === null ? readHead(part) : part.length;
        if (missingBytes === null) return;
        missingBytes -= body;
        if (missingBytes > 0) return;
        missingBytes = null;
        onResponse({ milliseconds: performance.now() - startedAt, status, bytes, isCached });
        send();
      } catch (error) {
        socket.destroy();
        reject(error);
      }
    });
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("The server closed a connection.")));
  });
}
