import type { LookupFunction } from "node:net";
import { Client } from "undici";
import { abortable } from "../lib/async.ts";
import { type Refusal, refuse } from "./refusals.ts";

/** The accepted response media types; "" is a response without one. */
export interface AcceptedTypes {
  /** Sent as Accept. */
  readonly header: string;
  /** How refusals describe these types. */
  readonly description: string;
  readonly includes: (type: string) => boolean;
}

/** One request to one server. */
export interface WebRequest {
  readonly url: URL;
  /** The server's name in refusals. */
  readonly displayName: string;
  /** The only addresses to connect to; null leaves name resolution to the system, for servers that the operator configured. */
  readonly addresses: readonly string[] | null;
  /** Sent as Authorization. */
  readonly authorization: string | null;
  readonly acceptedTypes: AcceptedTypes;
  readonly maxBytes: number;
  /** Certificates that are trusted in addition to the default ones. */
  readonly certificates: readonly string[];
  readonly timeoutMilliseconds: number;
  readonly signal: AbortSignal;
}

/** A request's result. */
export type WebResponse =
  | { readonly kind: "body"; readonly body: Buffer; readonly type: string }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "refusal"; readonly refusal: Refusal };

const headerBytes = 16 * 1024;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Statuses that may change later: unauthorized, rate-limited or too early. */
const temporaryStatuses: ReadonlySet<number> = new Set([401, 403, 408, 421, 425, 429]);

/**
 * Sends a request over a new connection, which is always closed when this function returns. Rejects with the signal's reason or with a network error.
 */
export const sendRequest = async (request: WebRequest): Promise<WebResponse> => {
  const { url, signal, timeoutMilliseconds } = request;
  const client = new Client(url.origin, {
    connect: {
      timeout: timeoutMilliseconds,
      maxCachedSessions: 0,
      // Overrides NODE_TLS_REJECT_UNAUTHORIZED.
      rejectUnauthorized: true,
      ...(request.addresses === null ? {} : { lookup: lookupOf(request.addresses) }),
      ...(request.certificates.length === 0 ? {} : { ca: [...request.certificates] }),
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: headerBytes,
    headersTimeout: timeoutMilliseconds,
    bodyTimeout: timeoutMilliseconds,
  });
  try {
    return await abortable(signal, readResponse(client, request));
  } finally {
    // Aborts the request without waiting.
    client.destroy().catch(() => undefined);
  }
};

const readResponse = async (
  client: Client,
  { url, displayName: hostname, acceptedTypes, maxBytes, authorization, signal }: WebRequest,
): Promise<WebResponse> => {
  const { statusCode, headers, body } = await client.request({
    method: "GET",
    path: `${url.pathname}${url.search}`,
    headers: {
      accept: acceptedTypes.header,
      "accept-encoding": "identity",
      "user-agent": "ashlar",
      ...(authorization === null ? {} : { authorization }),
    },
    reset: true,
    signal,
  });
  // An unread body emits an error that has no other handler.
  body.on("error", () => undefined);
  if (redirectStatuses.has(statusCode)) {
    const location = headers.location;
    return typeof location === "string" ? { kind: "redirect", location } : refused(refuse("location", hostname));
  }
  if (statusCode !== 200) {
    const code = statusCode >= 500 || temporaryStatuses.has(statusCode) ? "status-now" : "status";
    return refused(refuse(code, hostname, String(statusCode)));
  }
  const encoding = textOf(headers["content-encoding"]);
  if (encoding !== "" && encoding !== "identity") return refused(refuse("encoding", hostname, encoding));
  const type = textOf(headers["content-type"]).split(";", 1)[0]?.trim() ?? "";
  if (!acceptedTypes.includes(type)) return refused(refuse("type", hostname, type, acceptedTypes.description));
  if (Number(headers["content-length"]) > maxBytes) return refused(refuse("too-large", hostname, String(maxBytes)));
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return refused(refuse("too-large", hostname, String(maxBytes)));
    chunks.push(chunk);
  }
  return { kind: "body", body: Buffer.concat(chunks), type };
};

/** The refusal for a network or protocol error. */
export const refusalOf = (error: unknown, hostname: string): Refusal => {
  const code = (error as { readonly code?: unknown } | null)?.code;
  if (code === "UND_ERR_HEADERS_OVERFLOW" || code === "HPE_HEADER_OVERFLOW") return refuse("headers", hostname, String(headerBytes));
  if (typeof code !== "string") return refuse("connection", hostname, "unknown reason");
  return refuse(/CERT|SELF_SIGNED|UNABLE_TO_/.test(code) ? "certificate" : "connection", hostname, code);
};

const refused = (refusal: Refusal): WebResponse => ({ kind: "refusal", refusal });

const textOf = (header: string | string[] | undefined): string => [header ?? ""].flat().join(",").trim().toLowerCase();

/** Resolves every name to the checked addresses, so that the connection cannot go to a different address. */
const lookupOf =
  (addresses: readonly string[]): LookupFunction =>
  (_hostname, options, callback) => {
    const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const [first] = all;
    if (first === undefined) callback(new Error("No addresses."), "", 0);
    else if (options.all === true) callback(null, all);
    else callback(null, first.address, first.family);
  };
