import type { IncomingMessage, RequestListener } from "node:http";
import express from "express";
import type { AddressLimits } from "./address-limits.ts";
import type { Compression } from "./compression/compression.ts";
import { createDocsRouter } from "./docs.ts";
import type { FailureHandler } from "./failure-handler.ts";
import { createHealthRouter, type Readiness } from "./health.ts";
import type { Clock } from "./key-cache.ts";
import { bindExamples, type OpenApiDocument } from "./openapi-document.ts";

interface Settings {
  readonly readiness: () => Promise<Readiness>;
  readonly clock?: Clock;
  readonly document: OpenApiDocument;
  readonly demo: { readonly key: string; readonly storyValues: Readonly<Record<string, string>> } | undefined;
  readonly chains: readonly { readonly name: string }[];
  readonly publicUrl: string | undefined;
  readonly trustedProxies: readonly string[];
}

interface Shared {
  readonly compression: Compression;
  readonly addressLimits: Pick<AddressLimits, "countPage">;
  readonly isStopping: () => boolean;
  /** Rejects a request for an unknown path. */
  readonly rejectPath: (request: IncomingMessage, path: string) => never;
  readonly fail: FailureHandler;
}

/** Creates the Express application for the pages that need no key: documentation and health checks. */
export function createUnkeyedPages(
  { readiness, clock, document, demo, chains, publicUrl, trustedProxies }: Settings,
  { compression, addressLimits, isStopping, rejectPath, fail }: Shared,
): RequestListener {
  const app = express();
  app.disable("x-powered-by");
  app.set("etag", false);
  app.set("query parser", false);
  app.set("trust proxy", trustedProxies.length === 0 ? false : [...trustedProxies]);
  app.use((request, _response, next) => {
    // A liveness check costs less than counting it.
    if (request.path !== "/healthz") addressLimits.countPage(request.ip ?? "");
    next();
  });
  app.use(createHealthRouter(readiness, isStopping, clock));
  app.use(
    createDocsRouter({
      title: "Ashlar",
      document: bindExamples(document, { storyValues: demo?.storyValues ?? {}, chainName: chains[0]?.name }),
      publicUrl,
      demoKey: demo?.key,
      compression,
    }),
  );
  app.use((request) => rejectPath(request, request.url));
  const handleError: express.ErrorRequestHandler = (error, request, response, _next) => fail(error, request, response);
  app.use(handleError);
  return app;
}
