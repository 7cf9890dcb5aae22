/** Why a document was not fetched: a stable code, a message, and whether a retry would fail too. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly isPermanent: boolean;
}

export type RefusalCode = keyof typeof reasons;

/** Shortens untrusted text, such as host names and headers. */
const shorten = (text: string): string => {
  const clean = text.replace(/[^\x20-\x7e]+/g, "?");
  return clean.length > 100 ? `${clean.slice(0, 100)}…` : clean;
};

/**
 * The refusals by code: whether each is permanent, and its message. Messages do not contain paths, queries or IP addresses, which may be secrets in the
 * operator's network.
 */
const reasons = {
  "not-a-url": { isPermanent: true, describe: () => "Invalid URL; expected an https:// URL." },
  scheme: { isPermanent: true, describe: (scheme: string) => `Unsupported scheme ${shorten(scheme)}; expected https:.` },
  credentials: {
    isPermanent: true,
    describe: (host: string) => `The URL of ${shorten(host)} contains a user name or password.`,
  },
  port: {
    isPermanent: true,
    describe: (port: string, host: string) => `Unsupported port ${shorten(port)} of ${shorten(host)}; expected 443.`,
  },
  "literal-address": {
    isPermanent: true,
    describe: (host: string) => `${shorten(host)} is an IP address; expected a public host name.`,
  },
  "local-name": {
    isPermanent: true,
    describe: (host: string) => `${shorten(host)} is a local name; expected a public host name without a trailing dot.`,
  },
  "private-address": {
    isPermanent: true,
    describe: (host: string, range: string) => `${shorten(host)} resolves to a non-public address (${range}).`,
  },
  "unknown-name": { isPermanent: false, describe: (host: string) => `The name ${shorten(host)} does not resolve.` },
  redirects: { isPermanent: true, describe: (max: string) => `More than ${max} redirects.` },
  location: {
    isPermanent: true,
    describe: (host: string) => `${shorten(host)} sent a redirect without a valid Location header.`,
  },
  status: {
    isPermanent: true,
    describe: (host: string, status: string) => `${shorten(host)} responded with status ${status}; expected 200.`,
  },
  "status-now": {
    isPermanent: false,
    describe: (host: string, status: string) => `${shorten(host)} responded with status ${status}; expected 200.`,
  },
  encoding: {
    isPermanent: true,
    describe: (host: string, encoding: string) => `${shorten(host)} sent content encoding ${shorten(encoding)}; expected identity.`,
  },
  type: {
    isPermanent: true,
    describe: (host: string, type: string, accepted: string) => `${shorten(host)} sent ${shorten(type)}; expected ${accepted}.`,
  },
  "too-large": {
    isPermanent: true,
    describe: (host: string, max: string) => `The response from ${shorten(host)} is too large; expected at most ${max} bytes.`,
  },
  headers: {
    isPermanent: true,
    describe: (host: string, max: string) => `The headers from ${shorten(host)} are too large; expected at most ${max} bytes.`,
  },
  "too-slow": {
    isPermanent: false,
    describe: (host: string, max: string) => `${shorten(host)} did not respond completely within ${max} ms.`,
  },
  stopped: { isPermanent: false, describe: () => "Fetching was stopped." },
  certificate: {
    isPermanent: false,
    describe: (host: string, code: string) => `The certificate of ${shorten(host)} is invalid (${shorten(code)}).`,
  },
  connection: { isPermanent: false, describe: (host: string, code: string) => `${shorten(host)} cannot be reached (${shorten(code)}).` },
} as const;

/** Creates a refusal from its data. */
export const refuse = <Code extends RefusalCode>(code: Code, ...data: Parameters<(typeof reasons)[Code]["describe"]>): Refusal => {
  const { isPermanent, describe } = reasons[code];
  return { code, isPermanent, message: (describe as (...data: readonly string[]) => string)(...data) };
};
