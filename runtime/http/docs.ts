import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Router } from "express";
import { LRUCache } from "lru-cache";
import { baseUrl } from "./base-url.ts";
import { type CachedBody, createCachedBody } from "./compression/cached-body.ts";
import type { Compression } from "./compression/compression.ts";
import { sendCached, sendCompressed } from "./compression/send-compressed.ts";
import { docsPage, docsScript, docsStyle } from "./docs-page.ts";
import { jsonType, sendBody } from "./envelope.ts";
import { pageHeaders, removeCorsHeaders } from "./headers.ts";
import { type OpenApiDocument, renderDocument } from "./openapi-document.ts";
import { isSameOriginRequest } from "./same-origin-request.ts";

export interface DocsDeps {
  readonly title: string;
  readonly document: OpenApiDocument;
  readonly publicUrl: string | undefined;
  /** The key that the page fills in; only for the demo, because everyone who opens the page can read it. */
  readonly demoKey: string | undefined;
  readonly compression: Compression;
}

const packageDirectory = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const assets: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};

/** Files of swagger-ui-dist, read on first use. */
function createAssets(): (name: string) => Promise<CachedBody> {
  const loaded = new Map<string, Promise<CachedBody>>();
  const load = async (name: string): Promise<CachedBody> => createCachedBody(await readFile(join(packageDirectory, name)));
  return (name) => {
    const asset = loaded.get(name) ?? load(name);
    loaded.set(name, asset);
    // The next request retries a failed read.
    asset.catch(() => loaded.delete(name));
    return asset;
  };
}

/** Serves the documentation page, its files and the OpenAPI document, without a key. */
export function createDocsRouter({ title, document, publicUrl, demoKey, compression }: DocsDeps): Router {
  const router = Router({ caseSensitive: true });
  const asset = createAssets();
  const render = renderDocument(document);
  const documents = new LRUCache<string, CachedBody>({ max: 8 });
  const prefix = publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
  const pages: Readonly<Record<string, readonly [string, string]>> = {
    "/docs/": ["text/html; charset=utf-8", docsPage(title, `${prefix}/docs`)],
    "/docs/page.css": ["text/css; charset=utf-8", docsStyle],
  };

  const script = (key: string | undefined): string => docsScript(`${prefix}/openapi.json`, key);
  const scripts = { withKey: script(demoKey), withoutKey: script(undefined) };

  router.use("/docs", pageHeaders(publicUrl), removeCorsHeaders);
  router.get("/docs/start.js", (request, response) => {
    response.setHeader("Vary", "Host, Origin, Sec-Fetch-Site");
    sendBody(
      response,
      200,
      "text/javascript; charset=utf-8",
      isSameOriginRequest(request, publicUrl) ? scripts.withKey : scripts.withoutKey,
    );
  });
  for (const [path, [type, body]] of Object.entries(pages)) {
    router.get(path, (_request, response) => sendBody(response, 200, type, body));
  }
  for (const [name, type] of Object.entries(assets)) {
    router.get(`/docs/${name}`, async (_request, response) => {
      response.setHeader("Cache-Control", "public, max-age=3600");
      const cached = await asset(name);
      if (type.startsWith("image/")) sendBody(response, 200, type, cached.plain);
      else await sendCached(response, compression, type, cached);
    });
  }
  router.get("/openapi.json", async (request, response) => {
    const url = baseUrl(request, publicUrl);
    const cached = documents.get(url) ?? createCachedBody(render(url));
    documents.set(url, cached);
    if (publicUrl !== undefined) return sendCached(response, compression, jsonType, cached);
    // Each host has its own document and clients choose the host, so the best compression is not worth its time.
    const document = { contentType: jsonType, body: cached.plain, headers: [] };
    return sendCompressed(response, document, compression, (coding) => compression.encode(cached.plain, coding));
  });
  router.get("/", (_request, response) => {
    response.statusCode = 302;
    response.setHeader("Location", `${prefix}/docs/`);
    response.end();
  });
  return router;
}
