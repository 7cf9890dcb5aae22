import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { Router } from "express";
import { LRUCache } from "lru-cache";
import { baseUrl } from "./base-url.ts";
import { docsPage, docsScript, docsStyle } from "./docs-page.ts";
import { sendBody } from "./envelope.ts";
import { pageHeaders, withoutCrossOrigin } from "./headers.ts";
import { type OpenApiDocument, withServer } from "./openapi-document.ts";
import { isOwnPage } from "./own-page.ts";

export interface DocsDeps {
  readonly title: string;
  readonly document: OpenApiDocument;
  readonly publicUrl: string | undefined;
  /** The key that the page fills in; only for the demo, because everyone who opens the page can read it. */
  readonly demoKey: string | undefined;
}

const packageDirectory = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/package.json"));
const assets: Readonly<Record<string, string>> = {
  "swagger-ui.css": "text/css; charset=utf-8",
  "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
  "favicon-32x32.png": "image/png",
};
const compress = promisify(gzip);

interface Asset {
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

/** Files of swagger-ui-dist, read and compressed on first use. */
function createAssets(): (name: string) => Promise<Asset> {
  const loaded = new Map<string, Promise<Asset>>();
  const load = async (name: string): Promise<Asset> => {
    const plain = await readFile(join(packageDirectory, name));
    return { plain, compressed: await compress(plain) };
  };
  return (name) => {
    const asset = loaded.get(name) ?? load(name);
    loaded.set(name, asset);
    return asset;
  };
}

/** Serves the documentation page, its files and the OpenAPI document, without a key. */
export function createDocs({ title, document, publicUrl, demoKey }: DocsDeps): Router {
  const router = Router({ caseSensitive: true });
  const asset = createAssets();
  const documents = new LRUCache<string, string>({ max: 8 });
  const prefix = publicUrl === undefined ? "" : new URL(publicUrl).pathname.replace(/\/+$/, "");
  const pages: Readonly<Record<string, readonly [string, string]>> = {
    "/docs/": ["text/html; charset=utf-8", docsPage(title, `${prefix}/docs`)],
    "/docs/page.css": ["text/css; charset=utf-8", docsStyle],
  };

  const script = (key: string | undefined): string => docsScript(`${prefix}/openapi.json`, key);
  const scripts = { withKey: script(demoKey), withoutKey: script(undefined) };

  router.use("/docs", pageHeaders(publicUrl), withoutCrossOrigin);
  router.get("/docs/start.js", (request, response) => {
    response.setHeader("Vary", "Host, Origin, Sec-Fetch-Site");
    sendBody(response, 200, "text/javascript; charset=utf-8", isOwnPage(request, publicUrl) ? scripts.withKey : scripts.withoutKey);
  });
  for (const [path, [type, body]] of Object.entries(pages)) {
    router.get(path, (_request, response) => sendBody(response, 200, type, body));
  }
  for (const [name, type] of Object.entries(assets)) {
    router.get(`/docs/${name}`, async (request, response) => {
      const { plain, compressed } = await asset(name);
      const uncompressed = request.acceptsEncodings("gzip", "identity") !== "gzip" || type.startsWith("image/");
      response.setHeader("Vary", "Accept-Encoding");
      response.setHeader("Cache-Control", "public, max-age=3600");
      if (!uncompressed) response.setHeader("Content-Encoding", "gzip");
      sendBody(response, 200, type, uncompressed ? plain : compressed);
    });
  }
  router.get("/openapi.json", (request, response) => {
    const url = baseUrl(request, publicUrl);
    const text = documents.get(url) ?? JSON.stringify(withServer(document, url));
    documents.set(url, text);
    sendBody(response, 200, "application/json; charset=utf-8", text);
  });
  router.get("/", (_request, response) => {
    response.statusCode = 302;
    response.setHeader("Location", `${prefix}/docs/`);
    response.end();
  });
  return router;
}
