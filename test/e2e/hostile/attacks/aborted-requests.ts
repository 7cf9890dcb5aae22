import { get } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Attack } from "../attack.ts";
import { chain, collector, hubToken, lastBlock } from "../fixture.ts";

const connectionCount = 50;

/** Requests a large response and closes the connection after less than 200 ms. */
async function abortOne({ target: { port, key }, count }: Attack, number: number): Promise<void> {
  const paths = [
    `address/${collector}/balances_v2/?no-spam=${number % 2 === 0}`,
    `events/?starting-block=${number % 100}&ending-block=${(number % 100) + 800}`,
    `tokens/${hubToken}/token_holders_v2/?format=csv&page-size=10000&block-height=${lastBlock - (number % 100)}`,
  ];
  const path = `/v1/${chain.name}/${paths[number % paths.length]}`;
  const request = get({ host: "127.0.0.1", port, path, agent: false, headers: { authorization: `Bearer ${key}` } }, (response) => {
    count(response.statusCode ?? 0);
    response.resume();
  });
  request.on("error", () => undefined);
  // The delays range from before the first statement to after the response's first byte.
  await wait(number % 200);
  count("aborted");
  request.destroy();
}

/** Aborts requests for large responses at every processing stage. */
export const abortRequests = (attack: Attack): Promise<unknown> => {
  let sent = 0;
  return Promise.all(
    Array.from({ length: connectionCount }, async () => {
      while (attack.isRunning()) await abortOne(attack, sent++);
    }),
  );
};
