import { connect, type Socket } from "node:net";
import type pg from "pg";
import { sleep } from "../lib/async.ts";

/** The request code of CancelRequest (PostgreSQL, section 54.7). */
const cancelCode = 80_877_102;
const packetBytes = 16;
/** How long the server may take to accept a cancel request. */
const requestMilliseconds = 2_000;
/** A request that arrives before the server has read the statement has no effect, so it is repeated. */
const repeatMilliseconds = 250;

/** A connection's backend, as the driver describes it. */
interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * Cancels the statement that a connection runs. Call the returned function before the connection is released: it stops the cancellation and waits for
 * a cancel request in flight, which could otherwise cancel the connection's next statement. Resolves to false if that may still happen.
 */
export function cancelStatement(client: pg.PoolClient): () => Promise<boolean> {
  const settled = new AbortController();
  const cancelling = isBackend(client) ? cancelUntil(settled.signal, client) : Promise.resolve(true);
  return () => {
    settled.abort();
    return cancelling;
  };
}

/** Repeats cancel requests until the statement has settled; false if the server did not complete all of them. */
async function cancelUntil(settled: AbortSignal, backend: Backend): Promise<boolean> {
  let isComplete = true;
  while (!settled.aborted) {
    isComplete = (await sendCancelRequest(backend)) && isComplete;
    await sleep(repeatMilliseconds, settled);
  }
  return isComplete;
}

/** True once the server has closed the request's connection: it has signalled the backend by then, and an idle backend ignores the signal. */
const sendCancelRequest = ({ host, port, processID, secretKey }: Backend): Promise<boolean> =>
  new Promise((resolve) => {
    const packet = Buffer.alloc(packetBytes);
    for (const [index, value] of [packetBytes, cancelCode, processID, secretKey].entries()) packet.writeInt32BE(value, 4 * index);
    const socket: Socket = host.startsWith("/") ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
    let isClosedByServer = false;
    socket.setTimeout(requestMilliseconds, () => socket.destroy());
    socket.on("connect", () => socket.write(packet));
    socket.on("end", () => {
      isClosedByServer = true;
    });
    // The server may also reset the connection.
    socket.on("error", (error: NodeJS.ErrnoException) => {
      isClosedByServer = error.code === "ECONNRESET";
    });
    socket.on("close", () => resolve(isClosedByServer));
    socket.resume();
  });

/** The driver's types omit the backend fields. */
const isBackend = (client: object): client is Backend =>
  "host" in client &&
  typeof client.host === "string" &&
  "port" in client &&
  typeof client.port === "number" &&
  "processID" in client &&
  typeof client.processID === "number" &&
  "secretKey" in client &&
  typeof client.secretKey === "number";
