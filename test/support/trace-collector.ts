import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span in the JSON encoding of OTLP (opentelemetry-proto, trace.proto): ids in hex, times in nanoseconds as text. */
export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number };
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: Pick<CollectedSpan, "attributes">;
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

/** A collector for OTLP over HTTP with JSON. */
export interface TraceCollector {
  readonly endpoint: string;
  readonly spans: readonly CollectedSpan[];
  /** The processes that exported spans. */
  readonly processes: ReadonlySet<unknown>;
  /** All received requests as text. */
  text(): string;
  /** The status of the next responses; 200 by default. */
  status: number;
  close(): Promise<void>;
}

/** The values of a span's attributes by name. */
export const attributesOf = ({ attributes }: Pick<CollectedSpan, "attributes">): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** Starts a collector on a free port. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: CollectedSpan[] = [];
  const processes = new Set<unknown>();
  let text = "";
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request.setEncoding("utf8")) body += part;
    text += `${request.url} ${JSON.stringify(request.headers)} ${body}\n`;
    if (collector.status === 200) {
      for (const { resource, scopeSpans } of (JSON.parse(body) as ExportRequest).resourceSpans) {
        processes.add(attributesOf(resource)["ashlar.process"]);
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
    }
    response.writeHead(collector.status, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const collector: TraceCollector = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    processes,
    text: () => text,
    status: 200,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return collector;
}
