import { abortable } from "../lib/async.ts";
import { checkUrl } from "./check-url.ts";
import { nonPublicRangeOf } from "./non-public-range.ts";
import { type Refusal, refuse } from "./refusals.ts";
import { type ResolveName, resolveName } from "./resolve-name.ts";
import { type AcceptedTypes, refusalOf, sendRequest, type WebResponse } from "./send-request.ts";

/** Limits for fetching one document, including redirects. */
export interface FetchLimits {
  readonly timeoutMilliseconds: number;
  readonly maxBytes: number;
  readonly acceptedTypes: AcceptedTypes;
  readonly signal: AbortSignal;
}

/** A fetched document, or the refusal. */
export type FetchResult =
  | { readonly ok: true; readonly body: Buffer; readonly type: string }
  | { readonly ok: false; readonly refusal: Refusal };

/** Fetches documents from untrusted servers. */
export interface WebClient {
  /** Fetches an untrusted URL, which must be https: with a public name and public addresses. Never throws. */
  fetch(url: string, limits: FetchLimits): Promise<FetchResult>;
  /** Fetches a path from a server that the operator configured, at any address and even over http:; redirects to other servers are untrusted. Never throws. */
  fetchFrom(gateway: string, path: string, limits: FetchLimits): Promise<FetchResult>;
}

/** Dependencies that tests replace. */
export interface WebClientDeps {
  readonly resolve?: ResolveName;
  /** Whether to connect to a name despite this non-public address; only for test servers. */
  readonly isExempt?: (address: string, hostname: string) => boolean;
  readonly ports?: readonly string[];
  readonly certificates?: readonly string[];
}

const maxRedirects = 3;
/** Max addresses to try per name. */
const maxAddresses = 4;

/** Creates a client without persistent connections, cookies, credentials or proxies. */
export const createWebClient = (dependencies: WebClientDeps = {}): WebClient => {
  const { resolve = resolveName, isExempt = () => false, ports = ["443"], certificates = [] } = dependencies;

  /**
   * The addresses to connect to. A name with any non-public address is refused: a public site has none, and such a name may point into a private
   * network.
   */
  const addressesOf = async (hostname: string, signal: AbortSignal): Promise<readonly string[] | Refusal> => {
    const addresses = await resolve(hostname, signal).catch(() => []);
    if (addresses.length === 0) return refuse("unknown-name", hostname);
    for (const address of addresses) {
      const range = isExempt(address, hostname) ? null : nonPublicRangeOf(address);
      if (range !== null) return refuse("private-address", hostname, range);
    }
    return addresses.slice(0, maxAddresses);
  };

  const visit = async (url: URL, gateway: URL | null, limits: FetchLimits): Promise<WebResponse> => {
    const isGateway = isOnGateway(gateway, url);
    let addresses: readonly string[] | null = null;
    if (!isGateway) {
      const refusal = checkUrl(url, ports);
      if (refusal !== null) return { kind: "refusal", refusal };
      const found = await abortable(limits.signal, addressesOf(url.hostname, limits.signal));
      if ("code" in found) return { kind: "refusal", refusal: found };
      addresses = found;
    }
    const authorization = isGateway ? authorizationOf(gateway) : null;
    return sendRequest({ ...limits, url, displayName: nameOf(url, gateway), addresses, certificates, authorization });
  };

  /** Visits a URL and turns errors into refusals. */
  const tryVisit = async (url: URL, gateway: URL | null, limits: FetchLimits, stopped: AbortSignal): Promise<WebResponse> => {
    try {
      return await visit(url, gateway, limits);
    } catch (error) {
      if (stopped.aborted) return { kind: "refusal", refusal: refuse("stopped") };
      const isLate = limits.signal.aborted;
      return {
        kind: "refusal",
        refusal: isLate
          ? refuse("too-slow", nameOf(url, gateway), String(limits.timeoutMilliseconds))
          : refusalOf(error, nameOf(url, gateway)),
      };
    }
  };

  const follow = async (start: URL, gateway: URL | null, limits: FetchLimits): Promise<FetchResult> => {
    const time = createTimeLimit(limits);
    let url = start;
    let trusted = gateway;
    try {
      for (let hop = 0; hop <= maxRedirects; hop += 1) {
        const response = await tryVisit(url, trusted, { ...limits, signal: time.signal }, limits.signal);
        if (response.kind === "body") return { ok: true, body: response.body, type: response.type };
        if (response.kind === "refusal") return refused(response.refusal, hop);
        const next = parseUrl(response.location, url);
        if (next === null) return refused(refuse("location", nameOf(url, trusted)), hop);
        // A redirect from an untrusted server back to a gateway is untrusted too, because the gateway may be internal and serve more than documents.
        if (!isOnGateway(trusted, next)) trusted = null;
        url = next;
      }
      return refused(refuse("redirects", String(maxRedirects)), 0);
    } finally {
      time.end();
    }
  };

  return {
    fetch: async (text, limits) => {
      const url = parseUrl(text);
      return url === null ? refused(refuse("not-a-url"), 0) : follow(url, null, limits);
    },
    fetchFrom: async (base, path, limits) => {
      const gateway = parseUrl(base);
      const url = parseUrl(base);
      if (gateway === null || url === null) return refused(refuse("not-a-url"), 0);
      url.pathname = `${gateway.pathname.replace(/\/+$/, "")}${path}`;
      return follow(url, gateway, limits);
    },
  };
};

const parseUrl = (text: string, base?: URL): URL | null => (URL.canParse(text, base?.href) ? new URL(text, base) : null);

const refused = (refusal: Refusal, hop: number): FetchResult => ({
  ok: false,
  refusal: hop === 0 ? refusal : { ...refusal, message: `After a redirect: ${refusal.message}` },
});

const isOnGateway = (gateway: URL | null, url: URL): gateway is URL => gateway !== null && url.origin === gateway.origin;

/** Hides the host of an operator's gateway: refusals are public. */
const nameOf = (url: URL, gateway: URL | null): string => (isOnGateway(gateway, url) ? "The gateway" : url.hostname);

const authorizationOf = ({ username, password }: URL): string | null =>
  username === "" ? null : `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString("base64")}`;

/** Combines the caller's signal with a time limit. */
const createTimeLimit = ({ signal, timeoutMilliseconds }: FetchLimits): { readonly signal: AbortSignal; readonly end: () => void } => {
  const ending = new AbortController();
  const timer = setTimeout(
    () => ending.abort(new Error(`The fetch did not finish within ${timeoutMilliseconds} ms.`)),
    timeoutMilliseconds,
  );
  const stop = (): void => ending.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return {
    signal: ending.signal,
    end: () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      // Aborts lookups and requests that are still in progress.
      ending.abort(new Error("The fetch has ended."));
    },
  };
};
