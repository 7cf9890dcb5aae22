/** Why nothing was fetched: a stable code, one sentence for people, and whether another try will end the same way. */
export interface Refusal {
  readonly code: RefusalCode;
  readonly sentence: string;
  readonly isLasting: boolean;
}

export type RefusalCode = keyof typeof table;

/** What is said of hosts and headers, which are a stranger's words, stays short. */
const short = (text: string): string => {
  const clean = text.replace(/[^\x20-\x7e]+/g, "?");
  return clean.length > 100 ? `${clean.slice(0, 100)}…` : clean;
};

/** Every reason, with its data. No path, query or address of a machine is in a sentence: they may be secrets of the operator's network. */
const table = {
  "not-a-url": { isLasting: true, say: () => "What was given is no URL; https:// URLs are accepted." },
  scheme: { isLasting: true, say: (scheme: string) => `The scheme ${short(scheme)} is not fetched; https: is accepted.` },
  credentials: {
    isLasting: true,
    say: (host: string) => `The URL of ${short(host)} holds a user name or password; URLs without are accepted.`,
  },
  port: {
    isLasting: true,
    say: (port: string, host: string) => `Port ${short(port)} of ${short(host)} is not asked; port 443 is accepted.`,
  },
  "literal-address": {
    isLasting: true,
    say: (host: string) => `${short(host)} is an address instead of a name; names that lead to public addresses are accepted.`,
  },
  "local-name": {
    isLasting: true,
    say: (host: string) => `${short(host)} is a name of a local network; public names, without a dot at the end, are accepted.`,
  },
  "private-address": {
    isLasting: true,
    say: (host: string, range: string) =>
      `${short(host)} leads to an address that is not public (${range}); names of which every address is public are accepted.`,
  },
  "unknown-name": { isLasting: false, say: (host: string) => `The name ${short(host)} has no address now.` },
  redirects: { isLasting: true, say: (most: string) => `There were more than ${most} redirects; no more are followed.` },
  location: { isLasting: true, say: (host: string) => `${short(host)} redirects without saying where; one Location is accepted.` },
  status: {
    isLasting: true,
    say: (host: string, status: string) => `${short(host)} answered with status ${status}; 200 is accepted.`,
  },
  "status-now": {
    isLasting: false,
    say: (host: string, status: string) => `${short(host)} answered with status ${status} for now; 200 is accepted.`,
  },
  encoding: {
    isLasting: true,
    say: (host: string, encoding: string) =>
      `${short(host)} sent its answer encoded (${short(encoding)}) though asked not to; plain answers are accepted.`,
  },
  type: {
    isLasting: true,
    say: (host: string, type: string, accepted: string) => `${short(host)} sent ${short(type)}; ${accepted} is accepted.`,
  },
  "too-large": {
    isLasting: true,
    say: (host: string, most: string) => `What ${short(host)} sends is too large; up to ${most} bytes are accepted.`,
  },
  headers: {
    isLasting: true,
    say: (host: string, most: string) => `The headers of ${short(host)} are too large; up to ${most} bytes are accepted.`,
  },
  "too-slow": { isLasting: false, say: (host: string, most: string) => `${short(host)} did not answer whole within ${most} ms.` },
  stopped: { isLasting: false, say: () => "Fetching was stopped." },
  certificate: {
    isLasting: false,
    say: (host: string, code: string) => `The certificate of ${short(host)} is not accepted (${short(code)}).`,
  },
  connection: { isLasting: false, say: (host: string, code: string) => `${short(host)} cannot be reached (${short(code)}).` },
} as const;

/** A refusal out of its data. */
export const refuse = <Code extends RefusalCode>(code: Code, ...data: Parameters<(typeof table)[Code]["say"]>): Refusal => {
  const { isLasting, say } = table[code];
  return { code, isLasting, sentence: (say as (...data: readonly string[]) => string)(...data) };
};
