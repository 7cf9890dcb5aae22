import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Chain } from "../../generated/requests.gen.ts";
import { failures } from "./errors.ts";

/** A key's restrictions; an absent rule allows everything. */
export interface KeyAccess {
  /** Names or ids. */
  readonly chains?: readonly string[];
  /** Web page origins (RFC 6454, section 6.2). */
  readonly origins?: readonly string[];
  /** IP addresses and networks in CIDR notation. */
  readonly addresses?: readonly string[];
}

/** What a request is checked against. */
export interface GuardedKey {
  /** Unix milliseconds; null if the key does not expire. */
  readonly expiresAt: number | null;
  /** Null if there are no rules. */
  readonly access: KeyAccess | null;
}

/** The rules of `KeyAccess`. */
export const accessRules = ["chains", "origins", "addresses"] as const satisfies readonly (keyof KeyAccess)[];

/** The parts of a request that are checked. */
export interface AccessRequest {
  /** The Origin header. */
  readonly origin: string | undefined;
  /** The client's address. */
  readonly address: string;
  /**
   * The chain that the request reads; null if it reads all chains, undefined if it reads none or is invalid. Only called for keys that are limited to chains.
   */
  readonly chain: () => Chain | null | undefined;
}

/** Checks a key's expiry and rules. @throws {HttpError} 401 or 403 with the rule. */
export function checkAccess({ expiresAt, access }: GuardedKey, request: AccessRequest, now: () => Date): void {
  if (expiresAt !== null && now().getTime() >= expiresAt) throw failures.keyExpired(new Date(expiresAt));
  if (access === null) return;
  const { chains, origins, addresses } = access;
  if (addresses !== undefined && !networksOf(addresses).includes(request.address)) throw failures.addressNotAllowed(request.address);
  if (origins !== undefined && !origins.includes(request.origin ?? "")) throw failures.originNotAllowed(request.origin);
  if (chains === undefined) return;
  const chain = request.chain();
  if (chain === null) throw failures.chainRequired(chains);
  if (chain !== undefined && !chains.includes(chain.name) && !chains.includes(String(chain.id)))
    throw failures.chainNotAllowed(chain.name, chains);
}

interface Networks {
  includes(address: string): boolean;
}

/** The parsed addresses of a lookup. */
const parsedNetworks = new WeakMap<readonly string[], Networks>();

function networksOf(texts: readonly string[]): Networks {
  const cached = parsedNetworks.get(texts);
  if (cached !== undefined) return cached;
  const ranges = texts.map(parseNetwork);
  const networks: Networks = {
    includes(text) {
      if (!ipaddr.isValid(text)) return false;
      // An IPv4 client of a server that listens on :: has an IPv4-mapped address (RFC 4291, 2.5.5.2).
      const address = ipaddr.process(text);
      return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
    },
  };
  parsedNetworks.set(texts, networks);
  return networks;
}

/** Parses an address or a network. @throws {RangeError} if it is invalid, or a network of IPv4-mapped addresses, which clients never have. */
export function parseNetwork(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [address = "", bits] = text.split("/");
  if (isIP(address) === 0) throw new RangeError(`Invalid address ${JSON.stringify(text)}.`);
  const parsed = ipaddr.process(address);
  if (bits === undefined) return [parsed, parsed.kind() === "ipv4" ? 32 : 128];
  if (ipaddr.parse(address).kind() !== parsed.kind()) throw new RangeError(`Invalid network ${JSON.stringify(text)}.`);
  return ipaddr.parseCIDR(text);
}

/** An origin as browsers send it, without a default port and with a host in lower case and punycode; null if the text is not an origin's URL. */
export function parseOrigin(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/` ? url.origin : null;
}
