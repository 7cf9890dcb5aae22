/** The reason why a document was not fetched: a stable code, a sentence, and whether a retry is pointless. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly sentence: string;
  readonly isPermanent: boolean;
}

export type RefusalCode = keyof typeof table;

/** Shortens untrusted text, such as host names and headers. */
const short = (text: string): string => {
  const clean = text.replace(/[^\x20-\x7e]+/g, "?");
  return clean.length > 100 ? `${clean.slice(0, 100)}…` : clean;
};

/** Every reason with its data. Sentences contain no path, query or IP address: they may be secrets of the operator's network. */
const table = {
  "not-a-url": { isPermanent: true, describe: () => "Invalid URL; expected an https:// URL." },
  scheme: { isPermanent: true, describe: (scheme: string) => `Unsupported scheme ${short(scheme)}; expected https:.` },
  credentials: {
    isPermanent: true,
    describe: (host: string) => `The URL of ${short(host)} contains a user name or password.`,
  },
  port: {
    isPermanent: true,
    describe: (port: string, host: string) => `Unsupported port ${short(port)} of ${short(host)}; expected 443.`,
  },
  "literal-address": {
    isPermanent: true,
    describe: (host: string) => `${short(host)} is an IP address; expected a public host name.`,
  },
  "local-name": {
    isPermanent: true,
    describe: (host: string) => `${short(host)} is a local name; expected a public host name without a trailing dot.`,
  },
  "private-address": {
    isPermanent: true,
    describe: (host: string, range: string) => `${short(host)} resolves to a non-public address (${range}).`,
  },
  "unknown-name": { isPermanent: false, describe: (host: string) => `The name ${short(host)} does not resolve.` },
  redirects: { isPermanent: true, describe: (max: string) => `More than ${max} redirects.` },
  location: {
    isPermanent: true,
    describe: (host: string) => `${short(host)} sent a redirect without a valid Location header.`,
  },
  status: {
    isPermanent: true,
    describe: (host: string, status: string) => `${short(host)} responded with status ${status}; expected 200.`,
  },
  "status-now": {
    isPermanent: false,
    describe: (host: string, status: string) => `${short(host)} responded with status ${status}; expected 200.`,
  },
  encoding: {
    isPermanent: true,
    describe: (host: string, encoding: string) => `${short(host)} sent content encoding ${short(encoding)}; expected identity.`,
  },
  type: {
    isPermanent: true,
    describe: (host: string, type: string, accepted: string) => `${short(host)} sent ${short(type)}; expected ${accepted}.`,
  },
  "too-large": {
    isPermanent: true,
    describe: (host: string, max: string) => `The response of ${short(host)} is too large: up to ${max} bytes are accepted.`,
  },
  headers: {
    isPermanent: true,
    describe: (host: string, max: string) => `The headers of ${short(host)} are too large: up to ${max} bytes are accepted.`,
  },
  "too-slow": {
    isPermanent: false,
    describe: (host: string, max: string) => `${short(host)} did not respond completely within ${max} ms.`,
  },
  stopped: { isPermanent: false, describe: () => "Fetching was stopped." },
  certificate: {
    isPermanent: false,
    describe: (host: string, code: string) => `The certificate of ${short(host)} is invalid (${short(code)}).`,
  },
  connection: { isPermanent: false, describe: (host: string, code: string) => `${short(host)} cannot be reached (${short(code)}).` },
} as const;

/** Creates a refusal from its data. */
export const refuse = <Code extends RefusalCode>(code: Code, ...data: Parameters<(typeof table)[Code]["describe"]>): Refusal => {
  const { isPermanent, describe } = table[code];
  return { code, isPermanent, sentence: (describe as (...data: readonly string[]) => string)(...data) };
};
