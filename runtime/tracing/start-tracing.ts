import { type Context, type Span as OtelSpan, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { TracingSettings } from "../config/tracing.ts";
import { sleep } from "../lib/async.ts";
import type { Span, Tracer } from "../lib/tracing.ts";

/** This process's traces. */
export interface Tracing {
  readonly tracer: Tracer;
  /** Exports the last spans, for a limited time. */
  close(): Promise<void>;
}

export interface TracingOptions extends TracingSettings {
  /** The name of this process, as in log lines. */
  readonly process: string;
  readonly logger: { warn(fields: object, message: string): void };
  readonly clock?: () => number;
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

const exportMilliseconds = 5_000;
const closeMilliseconds = 2_000;
/** The minimum time between two log lines about failed exports. */
const reportMilliseconds = 60_000;
const maxReasonLength = 200;
/** ExportResultCode.SUCCESS of @opentelemetry/core. */
const success = 0;

/** Exports traces to an OTLP collector. At most 2,048 spans wait (the library's default); if the collector is too slow, new ones are dropped. */
export function startTracing({
  endpoint,
  sampleRatio,
  process,
  logger,
  clock = performance.now.bind(performance),
}: TracingOptions): Tracing {
  const provider = new TracerProvider({
    // https://opentelemetry.io/docs/specs/semconv/resource/
    resource: resourceFromAttributes({ "service.name": "ashlar", "ashlar.process": process }),
    // Parts of a trace are sampled together with their request or batch.
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: withFailureLog(new OTLPTraceExporter({ url: endpoint, timeoutMillis: exportMilliseconds }), logger, clock),
      }),
    ],
  });
  const tracer = provider.getTracer("ashlar");
  const start = (
    context: Context,
    name: string,
    kind: keyof typeof kinds,
    attributes?: Readonly<Record<string, string | number>>,
  ): Span => {
    const span = tracer.startSpan(name, { kind: kinds[kind], ...(attributes === undefined ? {} : { attributes }) }, context);
    return spanOf(span, trace.setSpan(context, span), start);
  };
  return {
    tracer: { start: (name, kind, attributes) => start(ROOT_CONTEXT, name, kind, attributes) },
    close: () => Promise.race([provider.shutdown().catch(() => undefined), sleep(closeMilliseconds, undefined, { ref: false })]),
  };
}

type Start = (context: Context, ...parameters: Parameters<Span["startChild"]>) => Span;

const spanOf = (span: OtelSpan, context: Context, start: Start): Span => ({
  startChild: (name, kind, attributes) => start(context, name, kind, attributes),
  end({ name, attributes, error } = {}) {
    // The span has ended or is not sampled.
    if (!span.isRecording()) return;
    if (name !== undefined) span.updateName(name);
    if (attributes !== undefined) span.setAttributes(attributes);
    if (error !== undefined) span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  },
});

/** Wraps an exporter so that failed exports are logged, which the library does not do by default. */
function withFailureLog(exporter: SpanExporter, logger: TracingOptions["logger"], clock: () => number): SpanExporter {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        if (result.code !== success && clock() - reportedAt >= reportMilliseconds) {
          reportedAt = clock();
          logger.warn({ reason: (result.error?.message ?? "unknown").slice(0, maxReasonLength) }, "Exporting traces failed");
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
