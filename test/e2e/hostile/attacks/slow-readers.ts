import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { chain, collector } from "../fixture.ts";

const connectionCount = 500;
const bytesPerRead = 1_024;
const readMilliseconds = 1_000;

/** Requests a large response and reads it at one kilobyte per second. */
async function readOne({ target: { port, key }, isRunning, count }: Attack, number: number): Promise<void> {
  const path = `/v1/${chain.name}/address/${collector}/${number % 2 === 0 ? "balances_v2" : "historical_balances"}/`;
  const socket = connect({ port, host: "127.0.0.1" });
  socket.pause();
  socket.once("error", (error: Error & { readonly code?: string }) => count(error.code ?? error.message));
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  let isFirstChunk = true;
  while (isRunning() && !socket.destroyed) {
    const chunk: Buffer | null = socket.read(bytesPerRead);
    if (chunk !== null && isFirstChunk) {
      count(chunk.toString("latin1").slice(9, 12));
      isFirstChunk = false;
    }
    await wait(readMilliseconds);
  }
  socket.destroy();
}

/** Requests large responses with one key over 500 connections and reads them slowly; each closed connection is opened again. */
export const readSlowly = (attack: Attack): Promise<unknown> =>
  Promise.all(
    Array.from({ length: connectionCount }, async (_, number) => {
      while (attack.isRunning()) await readOne(attack, number);
    }),
  );
