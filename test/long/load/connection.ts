import { connect } from "node:net";

/** A complete response; the body is kept only if the status is 400 or above. */
export interface ReceivedResponse {
  readonly status: number;
  readonly hasRetryAfter: boolean;
  /** A failed response's text; empty for others. */
  readonly text: string;
}

/** A keep-alive connection that sends one request at a time. */
export interface Connection {
  /** Sends a request, and calls `done` with its response or with the error that ended the connection. */
  send(request: string, done: (outcome: ReceivedResponse | Error) => void): void;
  close(): void;
}

const headEnd = Buffer.from("\r\n\r\n");
const contentLength = /\r\ncontent-length: *(\d+)/i;
const retryAfter = /\r\nretry-after: *\d+/i;
const chunkedEncoding = /\r\ntransfer-encoding: *chunked/i;
/** The end of a chunked body. JSON text does not contain it, because its strings have no line breaks. */
const lastChunk = "\r\n0\r\n\r\n";

/**
 * Opens a connection that reads only each response's status and length, so the load generator uses little CPU time. `onEnd` is called when
 * the connection ends, even while it is idle.
 */
export function openConnection(port: number, onEnd: () => void): Connection {
  const socket = connect({ host: "127.0.0.1", port, noDelay: true });
  let pending: ((outcome: ReceivedResponse | Error) => void) | null = null;
  let parts: Buffer[] = [];
  let head: Head | null = null;
  let received = 0;
  let tail = "";
  const finish = (result: ReceivedResponse | Error): void => {
    const done = pending;
    [pending, head, parts, received, tail] = [null, null, [], 0, ""];
    done?.(result);
  };
  const readBody = (current: Head, part: Buffer): void => {
    received += part.length;
    if (current.status >= 400) parts.push(part);
    if (current.length === null)
      tail = (tail + part.toString("latin1", Math.max(0, part.length - lastChunk.length))).slice(-lastChunk.length);
    if (current.length === null ? tail !== lastChunk : received < current.length) return;
    const { status, hasRetryAfter } = current;
    finish({ status, hasRetryAfter, text: Buffer.concat(parts).toString("utf8") });
  };
  socket.on("data", (part) => {
    if (head !== null) return readBody(head, part);
    parts.push(part);
    const joined = Buffer.concat(parts);
    const end = joined.indexOf(headEnd);
    parts = [joined];
    if (end < 0) return;
    head = readHead(joined.toString("latin1", 0, end + 2));
    parts = [];
    readBody(head, joined.subarray(end + headEnd.length));
  });
  let failure = new Error("The server closed the connection.");
  socket.on("error", (error) => {
    failure = error;
  });
  socket.on("close", () => {
    onEnd();
    finish(failure);
  });
  return {
    send(request, done) {
      pending = done;
      socket.write(request);
    },
    close: () => socket.destroy(),
  };
}

interface Head {
  readonly status: number;
  readonly hasRetryAfter: boolean;
  /** The length of the body; null if it is chunked. */
  readonly length: number | null;
}

function readHead(text: string): Head {
  const length = contentLength.exec(text)?.[1];
  if (length === undefined && !chunkedEncoding.test(text)) throw new Error(`Response without a length: ${text.slice(0, 200)}`);
  return { status: Number(text.slice(9, 12)), hasRetryAfter: retryAfter.test(text), length: length === undefined ? null : Number(length) };
}
