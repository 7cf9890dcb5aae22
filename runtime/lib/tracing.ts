/** Values that describe work. They contain neither secrets nor data that a client sent. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** Work for a client (`server`), work that another program does for this one (`client`), or work within this process (`internal`). */
export type SpanKind = "server" | "client" | "internal";

/** How the work ended. */
export interface SpanEnd {
  /** A name that was not known at the start. */
  readonly name?: string;
  readonly attributes?: SpanAttributes;
  /** The kind of failure, if the work failed. */
  readonly error?: string | undefined;
}

/** A part of a trace: work with a start and an end. */
export interface Span {
  /** Starts a part of this work. */
  startChild(name: string, kind: SpanKind, attributes?: SpanAttributes): Span;
  /** A span that has not ended is not exported. Only the first call has an effect. */
  end(end?: SpanEnd): void;
}

/** Starts traces. Traceable code receives a tracer only if traces are configured. */
export interface Tracer {
  start(name: string, kind: SpanKind, attributes?: SpanAttributes): Span;
}

/** Describes a failure without its message, which may contain values: a system or database error code, or the class name. */
export const errorKindOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
};

/** Runs work as a part of a span, if there is one. */
export async function withSpan<T>(parent: Span | undefined, name: string, work: () => T | Promise<T>): Promise<T> {
  const span = parent?.startChild(name, "internal");
  try {
    const result = await work();
    span?.end();
    return result;
  } catch (error) {
    span?.end({ error: errorKindOf(error) });
    throw error;
  }
}
