import { Agent, type IncomingHttpHeaders, request } from "node:http";
import type { GeneratedRequest } from "./generate-request.ts";

/** A response as received. */
export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly milliseconds: number;
}

/** Creates a function that sends targets unchanged; `fetch` would normalise them. */
export function createSender(base: string, key: string, connectionCount: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connectionCount });
  const { hostname, port } = new URL(base);
  const send = ({ method, target, headers }: GeneratedRequest): Promise<RawResponse> =>
    new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const sent = request(
        { agent, hostname, port, method, path: target, headers: { authorization: `Bearer ${key}`, ...headers } },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString("utf8"),
              milliseconds: performance.now() - startedAt,
            }),
          );
        },
      );
      sent.on("error", reject);
      sent.end();
    });
  return { send, close: () => agent.destroy() };
}
