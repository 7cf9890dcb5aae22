/** The reason why a document was not fetched: a stable code, a sentence, and whether a retry is pointless. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly sentence: string;
  readonly isLasting: boolean;
}

export type RefusalCode = keyof typeof table;

/** Shortens untrusted text, such as host names and headers. */
const short = (text: string): string => {
  const clean = text.replace(/[^\x20-\x7e]+/g, "?");
  return clean.length > 100 ? `${clean.slice(0, 100)}…` : clean;
};

/** Every reason with its data. Sentences contain no path, query or IP address: they may be secrets of the operator's network. */
const table = {
  "not-a-url": { isLasting: true, describe: () => "Invalid URL; expected an https:// URL." },
  scheme: { isLasting: true, describe: (scheme: string) => `Unsupported scheme ${short(scheme)}; expected https:.` },
  credentials: {
    isLasting: true,
    describe: (host: string) => `The URL of ${short(host)} contains a user name or password.`,
  },
  port: {
    isLasting: true,
    describe: (port: string, host: string) => `Unsupported port ${short(port)} of ${short(host)}; expected 443.`,
  },
  "literal-address": {
    isLasting: true,
    describe: (host: string) => `${short(host)} is an IP address; expected a public host name.`,
  },
  "local-name": {
    isLasting: true,
    describe: (host: string) => `${short(host)} is a local name; expected a public host name without a trailing dot.`,
  },
  "private-address": {
    isLasting: true,
    describe: (host: string, range: string) => `${short(host)} resolves to a non-public address (${range}).`,
  },
  "unknown-name": { isLasting: false, describe: (host: string) => `The name ${short(host)} does not resolve.` },
  redirects: { isLasting: true, describe: (max: string) => `More than ${max} redirects.` },
  location: {
    isLasting: true,
    describe: (host: string) => `${short(host)} sent a redirect without a valid Location header.`,
  },
  status: {
    isLasting: true,
    describe: (host: string, status: string) => `${short(host)} responded with status ${status}; expected 200.`,
  },
  "status-now": {
    isLasting: false,
    describe: (host: string, status: string) => `${short(host)} responded with status ${status}; expected 200.`,
  },
  encoding: {
    isLasting: true,
    describe: (host: string, encoding: string) => `${short(host)} sent content encoding ${short(encoding)}; expected identity.`,
  },
  type: {
    isLasting: true,
    describe: (host: string, type: string, accepted: string) => `${short(host)} sent ${short(type)}; expected ${accepted}.`,
  },
  "too-large": {
    isLasting: true,
    describe: (host: string, max: string) => `The response of ${short(host)} is too large: up to ${max} bytes are accepted.`,
  },
  headers: {
    isLasting: true,
    describe: (host: string, max: string) => `The headers of ${short(host)} are too large: up to ${max} bytes are accepted.`,
  },
  "too-slow": { isLasting: false, describe: (host: string, max: string) => `${short(host)} did not respond completely within ${max} ms.` },
  stopped: { isLasting: false, describe: () => "Fetching was stopped." },
  certificate: {
    isLasting: false,
    describe: (host: string, code: string) => `The certificate of ${short(host)} is invalid (${short(code)}).`,
  },
  connection: { isLasting: false, describe: (host: string, code: string) => `${short(host)} cannot be reached (${short(code)}).` },
} as const;

/** Creates a refusal from its data. */
export const refuse = <Code extends RefusalCode>(code: Code, ...data: Parameters<(typeof table)[Code]["describe"]>): Refusal => {
  const { isLasting, describe } = table[code];
  return { code, isLasting, sentence: (describe as (...data: readonly string[]) => string)(...data) };
};
