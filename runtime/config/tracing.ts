import { z } from "zod";

const endpoint = "an http or https URL without user name and password, such as http://127.0.0.1:4318/v1/traces";
const ratio = "a number from 0 to 1";

const isEndpoint = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
};

/** Trace settings. */
export const tracing = z.strictObject({
  endpoint: z
    .string(endpoint)
    .refine(isEndpoint, endpoint)
    .describe("The URL, including its path, of an OTLP collector over HTTP. OTEL_EXPORTER_OTLP_HEADERS sets the export headers."),
  sampleRatio: z.number(ratio).min(0, ratio).max(1, ratio).default(0.1).describe("The share of requests and batches that is traced."),
});

export type TracingSettings = z.infer<typeof tracing>;
