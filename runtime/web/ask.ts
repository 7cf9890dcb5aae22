import type { LookupFunction } from "node:net";
import { Client } from "undici";
import { abortable } from "../lib/async.ts";
import { type Refusal, refuse } from "./refusals.ts";

/** The media types of answers that are wanted; "" is an answer that names none. */
export interface WantedTypes {
  /** Sent as Accept. */
  readonly header: string;
  /** For people. */
  readonly words: string;
  readonly includes: (type: string) => boolean;
}

/** One request to one server. */
export interface Question {
  readonly url: URL;
  /** What refusals say of who was asked. */
  readonly saidName: string;
  /** The only addresses that may be connected to; null lets the machine find them, for servers that the operator named. */
  readonly addresses: readonly string[] | null;
  /** Sent as Authorization. */
  readonly authorization: string | null;
  readonly types: WantedTypes;
  readonly bytes: number;
  /** Certificates that are trusted beside the usual ones. */
  readonly certificates: readonly string[];
  readonly milliseconds: number;
  readonly signal: AbortSignal;
}

/** What it came to. */
export type Reply =
  | { readonly kind: "body"; readonly body: Buffer; readonly type: string }
  | { readonly kind: "redirect"; readonly location: string }
  | { readonly kind: "refusal"; readonly refusal: Refusal };

const headerBytes = 16 * 1024;
const redirecting: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Answers of servers that may think otherwise later: not allowed in, asked too often, asked too early. */
const passing: ReadonlySet<number> = new Set([401, 403, 408, 421, 425, 429]);

/** Asks over a connection of its own that is gone when this returns, whatever the server does. Rejects with the signal's reason, with a network error otherwise. */
export const ask = async (question: Question): Promise<Reply> => {
  const { url, signal, milliseconds } = question;
  const client = new Client(url.origin, {
    connect: {
      timeout: milliseconds,
      maxCachedSessions: 0,
      // A variable of the environment cannot make servers trusted that are not.
      rejectUnauthorized: true,
      ...(question.addresses === null ? {} : { lookup: lookupOf(question.addresses) }),
      ...(question.certificates.length === 0 ? {} : { ca: [...question.certificates] }),
    },
    allowH2: false,
    pipelining: 1,
    maxHeaderSize: headerBytes,
    headersTimeout: milliseconds,
    bodyTimeout: milliseconds,
  });
  try {
    return await abortable(signal, readReply(client, question));
  } finally {
    // What is still under way ends here; nobody waits for its end.
    client.destroy().catch(() => undefined);
  }
};

const readReply = async (client: Client, { url, saidName: hostname, types, bytes, authorization, signal }: Question): Promise<Reply> => {
  const { statusCode, headers, body } = await client.request({
    method: "GET",
    path: `${url.pathname}${url.search}`,
    headers: {
      accept: types.header,
      "accept-encoding": "identity",
      "user-agent": "ashlar",
      ...(authorization === null ? {} : { authorization }),
    },
    reset: true,
    signal,
  });
  // A body that nobody reads on ends with an error that nobody waits for.
  body.on("error", () => undefined);
  if (redirecting.has(statusCode)) {
    const location = headers.location;
    return typeof location === "string" ? { kind: "redirect", location } : refused(refuse("location", hostname));
  }
  if (statusCode !== 200) {
    const code = statusCode >= 500 || passing.has(statusCode) ? "status-now" : "status";
    return refused(refuse(code, hostname, String(statusCode)));
  }
  const encoding = textOf(headers["content-encoding"]);
  if (encoding !== "" && encoding !== "identity") return refused(refuse("encoding", hostname, encoding));
  const type = textOf(headers["content-type"]).split(";", 1)[0]?.trim() ?? "";
  if (!types.includes(type)) return refused(refuse("type", hostname, type, types.words));
  if (Number(headers["content-length"]) > bytes) return refused(refuse("too-large", hostname, String(bytes)));
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytes) return refused(refuse("too-large", hostname, String(bytes)));
    chunks.push(chunk);
  }
  return { kind: "body", body: Buffer.concat(chunks), type };
};

/** The reason for an error of the network or of its protocol. */
export const refusalOf = (error: unknown, hostname: string): Refusal => {
  const code = (error as { readonly code?: unknown } | null)?.code;
  if (code === "UND_ERR_HEADERS_OVERFLOW" || code === "HPE_HEADER_OVERFLOW") return refuse("headers", hostname, String(headerBytes));
  if (typeof code !== "string") return refuse("connection", hostname, "unknown reason");
  return refuse(/CERT|SELF_SIGNED|UNABLE_TO_/.test(code) ? "certificate" : "connection", hostname, code);
};

const refused = (refusal: Refusal): Reply => ({ kind: "refusal", refusal });

const textOf = (header: string | string[] | undefined): string => [header ?? ""].flat().join(",").trim().toLowerCase();

/** Gives what was checked, so that a name cannot lead elsewhere by the time of the connection. */
const lookupOf =
  (addresses: readonly string[]): LookupFunction =>
  (_hostname, options, callback) => {
    const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    const [first] = all;
    if (first === undefined) callback(new Error("No addresses."), "", 0);
    else if (options.all === true) callback(null, all);
    else callback(null, first.address, first.family);
  };
