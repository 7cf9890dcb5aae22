import { abortable } from "../lib/async.ts";
import { ask, type Reply, refusalOf, type WantedTypes } from "./ask.ts";
import { checkUrl } from "./check-url.ts";
import { privateRange } from "./public-addresses.ts";
import { type Refusal, refuse } from "./refusals.ts";
import { type ResolveName, resolveName } from "./resolve-name.ts";

/** The bounds of one document, redirects and all. */
export interface FetchBounds {
  readonly milliseconds: number;
  readonly bytes: number;
  readonly types: WantedTypes;
  readonly signal: AbortSignal;
}

/** What was fetched, or why nothing was. */
export type Fetched =
  | { readonly ok: true; readonly body: Buffer; readonly type: string }
  | { readonly ok: false; readonly refusal: Refusal };

/** The web outside: strangers' servers, from which bytes are fetched and nothing else is to be had. */
export interface Web {
  /** A stranger's URL: https:, of a public name, at public addresses. Never throws. */
  fetch(url: string, bounds: FetchBounds): Promise<Fetched>;
  /** A path of a server that the operator named, wherever it is and by http: too; redirects away from it are a stranger's. Never throws. */
  fetchFrom(gateway: string, path: string, bounds: FetchBounds): Promise<Fetched>;
}

/** What a test puts in the place of the world; the usual ones are what servers run with. */
export interface WebDependencies {
  readonly resolve?: ResolveName;
  /** Whether an address that is not public may be connected to for a name all the same. Never, but for a test's own server. */
  readonly isExempt?: (address: string, hostname: string) => boolean;
  readonly ports?: readonly string[];
  readonly certificates?: readonly string[];
}

const maxRedirects = 3;
/** More addresses of one name are not tried. */
const maxAddresses = 4;

/** Fetches within bounds; holds no connections between fetches, sends no cookies and no keys, and knows no proxy. */
export const createWeb = (dependencies: WebDependencies = {}): Web => {
  const { resolve = resolveName, isExempt = () => false, ports = ["443"], certificates = [] } = dependencies;

  /**
   * The addresses that may be connected to. A name is refused for any one that is not public: a public site has no such address, and what is left of a name that
   * was made to lead inside deserves no connection.
   */
  const addressesOf = async (hostname: string, signal: AbortSignal): Promise<readonly string[] | Refusal> => {
    const addresses = await resolve(hostname, signal).catch(() => []);
    if (addresses.length === 0) return refuse("unknown-name", hostname);
    for (const address of addresses) {
      const range = isExempt(address, hostname) ? null : privateRange(address);
      if (range !== null) return refuse("private-address", hostname, range);
    }
    return addresses.slice(0, maxAddresses);
  };

  const visit = async (url: URL, gateway: URL | null, bounds: FetchBounds): Promise<Reply> => {
    const isGateway = isOf(gateway, url);
    let addresses: readonly string[] | null = null;
    if (!isGateway) {
      const fault = checkUrl(url, ports);
      if (fault !== null) return { kind: "refusal", refusal: fault };
      const found = await abortable(bounds.signal, addressesOf(url.hostname, bounds.signal));
      if ("code" in found) return { kind: "refusal", refusal: found };
      addresses = found;
    }
    const authorization = isGateway ? authorizationOf(gateway) : null;
    return ask({ ...bounds, url, saidName: nameOf(url, gateway), addresses, certificates, authorization });
  };

  /** A visit whose errors have become refusals. */
  const tryVisit = async (url: URL, gateway: URL | null, bounds: FetchBounds, stopped: AbortSignal): Promise<Reply> => {
    try {
      return await visit(url, gateway, bounds);
    } catch (error) {
      if (stopped.aborted) return { kind: "refusal", refusal: refuse("stopped") };
      const isLate = bounds.signal.aborted;
      return {
        kind: "refusal",
        refusal: isLate ? refuse("too-slow", nameOf(url, gateway), String(bounds.milliseconds)) : refusalOf(error, nameOf(url, gateway)),
      };
    }
  };

  const follow = async (start: URL, gateway: URL | null, bounds: FetchBounds): Promise<Fetched> => {
    const time = limitTime(bounds);
    let url = start;
    let trusted = gateway;
    try {
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        const reply = await tryVisit(url, trusted, { ...bounds, signal: time.signal }, bounds.signal);
        if (reply.kind === "body") return { ok: true, body: reply.body, type: reply.type };
        if (reply.kind === "refusal") return refused(reply.refusal, hop);
        const next = parseUrl(reply.location, url);
        if (next === null) return refused(refuse("location", nameOf(url, trusted)), hop);
        // Whom a stranger sends back to a gateway comes as a stranger: it may stand inside, and has more than documents to tell.
        if (!isOf(trusted, next)) trusted = null;
        url = next;
      }
      return refused(refuse("redirects", String(maxRedirects)), 0);
    } finally {
      time.end();
    }
  };

  return {
    fetch: async (text, bounds) => {
      const url = parseUrl(text);
      return url === null ? refused(refuse("not-a-url"), 0) : follow(url, null, bounds);
    },
    fetchFrom: async (base, path, bounds) => {
      const gateway = parseUrl(base);
      const url = parseUrl(base);
      if (gateway === null || url === null) return refused(refuse("not-a-url"), 0);
      url.pathname = `${gateway.pathname.replace(/\/+$/, "")}${path}`;
      return follow(url, gateway, bounds);
    },
  };
};

const parseUrl = (text: string, base?: URL): URL | null => (URL.canParse(text, base?.href) ? new URL(text, base) : null);

const refused = (refusal: Refusal, hop: number): Fetched => ({
  ok: false,
  refusal: hop === 0 ? refusal : { ...refusal, sentence: `After a redirect: ${refusal.sentence}` },
});

const isOf = (gateway: URL | null, url: URL): gateway is URL => gateway !== null && url.origin === gateway.origin;

/** Where an operator's gateway stands is nobody's business: what is refused is told to all who ask. */
const nameOf = (url: URL, gateway: URL | null): string => (isOf(gateway, url) ? "The gateway" : url.hostname);

const authorizationOf = ({ username, password }: URL): string | null =>
  username === "" ? null : `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`;

/** One signal of the caller's and of the time that all of it may take. */
const limitTime = ({ signal, milliseconds }: FetchBounds): { readonly signal: AbortSignal; readonly end: () => void } => {
  const ending = new AbortController();
  const stop = (): void => ending.abort(new Error("The time is over."));
  const timer = setTimeout(stop, milliseconds);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return {
    signal: ending.signal,
    end: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      // What is left of a look-up or of a request ends with it.
      stop();
    },
  };
};
