import { z } from "zod";

const port = "a port from 0 to 65535";
const token = "a string of 16 to 256 printable ASCII characters";

/** Settings for the metrics listener. */
export const metrics = z.strictObject({
  host: z.string().default("127.0.0.1").describe("The host to listen on; by default, only this machine can connect."),
  port: z
    .number(port)
    .int(port)
    .min(0, port)
    .max(65535, port)
    .default(9464)
    .describe(
      "The port of /metrics. Processes that are started separately on one machine, such as ashlar serve and ashlar index, need one each.",
    ),
  bearerToken: z
    .string(token)
    .regex(/^[\x21-\x7e]{16,256}$/, token)
    .optional()
    .describe("The bearer token that a scrape must send; none by default. It is a secret and never printed."),
});

export type MetricsSettings = z.infer<typeof metrics>;
