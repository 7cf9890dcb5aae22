import cors from "cors";
import helmet from "helmet";
import { constantHeaders, type Header, type Middleware } from "./constant-headers.ts";
import { allowedMethods } from "./errors.ts";

const exposedHeaders = [
  "X-Credits",
  "X-Request-Id",
  "X-Total-Count",
  "X-Has-More",
  "X-Warning",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
  "Retry-After",
  "Allow",
  "ETag",
  "X-Cache",
];

const isSecure = (publicUrl: string | undefined): boolean => publicUrl?.startsWith("https:") ?? false;

/** Allows every origin: requests authenticate by key, never by cookie. */
export const createCorsMiddleware = (): Middleware =>
  cors({
    origin: "*",
    methods: allowedMethods.split(", "),
    allowedHeaders: ["Authorization", "X-Requested-With", "Content-Type", "If-None-Match", "X-Request-Id"],
    exposedHeaders,
    maxAge: 86_400,
  });

/** The default; a response with an entity tag sets its own Cache-Control. */
const noStore: Header = ["Cache-Control", "no-store"];

/** Security headers of API responses, which load no resources. Pages from any origin may load them, including by URL with the query parameter `key`. */
const responsePolicy = (publicUrl: string | undefined): Middleware =>
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { "default-src": ["'none'"] } },
    crossOriginResourcePolicy: { policy: "cross-origin" },
    // The other default headers concern windows, downloads, prefetching and plug-ins, which do not apply to data.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    strictTransportSecurity: isSecure(publicUrl),
  });

/** The headers on every response. */
export const responseHeaders = (publicUrl: string | undefined): readonly Header[] => [
  ...constantHeaders([responsePolicy(publicUrl), createCorsMiddleware()]),
  noStore,
];

/** Removes the headers of `createCorsMiddleware`: other origins must not read the documentation's files, one of which may contain a key. */
export const removeCorsHeaders: Middleware = (_request, response, next) => {
  for (const name of response.getHeaderNames()) if (name.startsWith("access-control-")) response.removeHeader(name);
  next();
};

/** Security headers of the documentation page: resources only from this server, no inline scripts or styles, no framing. */
export const pageHeaders = (publicUrl: string | undefined): Middleware =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        // The page may have been opened under a host other than the public URL's, which receives its requests.
        "connect-src": publicUrl === undefined ? ["'self'"] : ["'self'", new URL(publicUrl).origin],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": ["'none'"],
      },
    },
    crossOriginResourcePolicy: { policy: "same-origin" },
    xFrameOptions: { action: "deny" },
    strictTransportSecurity: isSecure(publicUrl),
  });
