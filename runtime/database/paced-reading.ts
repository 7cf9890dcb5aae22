import type pg from "pg";
import type { ActiveRequest } from "../lib/active-request.ts";
import { isTurnOver, nextTurn } from "../lib/turns.ts";

/** Result bytes that the driver decodes between two checks of the clock. */
const bytesPerCheck = 128 * 1024;

const requests = new WeakMap<pg.PoolClient, ActiveRequest>();

/**
 * Makes a connection decode the result of a request's statement in turns with other work (see lib/turns.ts). Otherwise, the event loop is held as long as the
 * server sends faster than the driver decodes: one loop event delivers up to 32 chunks of 64 KiB.
 */
export function paceReading(client: pg.PoolClient, request: ActiveRequest): void {
  const isPaced = requests.has(client);
  requests.set(client, request);
  if (isPaced) return;
  const { stream } = client.connection;
  let bytes = 0;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes < bytesPerCheck || !isTurnOver()) return;
    bytes = 0;
    stream.pause();
    const resume = (): void => void stream.resume();
    // A cancelled statement ends only if its result is read.
    nextTurn(requests.get(client)).then(resume, resume);
  });
}
