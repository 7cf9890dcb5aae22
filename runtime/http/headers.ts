import cors from "cors";
import type { RequestHandler } from "express";
import helmet from "helmet";
import { constantHeaders, type Header } from "./constant-headers.ts";
import { allowedMethods } from "./errors.ts";

const shown = [
  "X-Credits",
  "X-Request-Id",
  "X-Total-Count",
  "X-Has-More",
  "X-Warning",
  "RateLimit-Limit",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "Allow",
];

const isSecure = (publicUrl: string | undefined): boolean => publicUrl?.startsWith("https:") ?? false;

/** Lets every web page read answers: the key is in the request, and no cookie ever is. */
export const crossOrigin = (): RequestHandler =>
  cors({
    origin: "*",
    methods: allowedMethods.split(", "),
    allowedHeaders: ["Authorization", "X-Requested-With", "Content-Type", "X-Request-Id"],
    exposedHeaders: shown,
    maxAge: 86_400,
  });

/** Answers change with each block, and hold what a key paid for. */
const neverStored: Header = ["Cache-Control", "no-store"];

/** Security headers of answers: they load nothing, and may stand in frames and be read across origins, which is what `key` in the query is for. */
const answerPolicy = (publicUrl: string | undefined): RequestHandler =>
  helmet({
    contentSecurityPolicy: { useDefaults: false, directives: { "default-src": ["'none'"] } },
    crossOriginResourcePolicy: { policy: "cross-origin" },
    // What the rest of the default set is about, an answer of data has not: windows, downloads, prefetching, plug-ins.
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
    strictTransportSecurity: isSecure(publicUrl),
  });

/** The headers of every answer. */
export const answerHeaders = (publicUrl: string | undefined): readonly Header[] => [
  ...constantHeaders([answerPolicy(publicUrl), crossOrigin()]),
  neverStored,
];

/** Takes back what `crossOrigin` allows: pages of other origins have nothing to read in the documentation page's files, one of which may have a key. */
export const withoutCrossOrigin: RequestHandler = (_request, response, next) => {
  for (const name of response.getHeaderNames()) if (name.startsWith("access-control-")) response.removeHeader(name);
  next();
};

/** Security headers of the documentation page: everything from this server, no inline script or style, no frame. */
export const pageHeaders = (publicUrl: string | undefined): RequestHandler =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        // The page may have been opened under another name than the one that its requests go to.
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
