import { z } from "zod";
import type { Address } from "../lib/hex.ts";

const addressDescription = "an address (0x followed by 40 hex digits)";

/** An address in any case, converted to lower case. */
export const address = z
  .string(addressDescription)
  .regex(/^0x[0-9a-fA-F]{40}$/, addressDescription)
  .transform((text) => text.toLowerCase() as Address);

/** An HTTP URL. */
export const httpUrl = z.url({ protocol: /^https?$/, error: "an http:// or https:// URL" });

/** Loopback addresses without a scheme, as node documentation prints them. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i;

const nodeUrlDescription = "an http:// or https:// URL, such as http://localhost:8545";

/** A node's URL. The scheme is optional for loopback addresses, because no secret is sent over a network in plain text. */
export const nodeUrl = z
  .string(nodeUrlDescription)
  .transform((text) => (loopback.test(text) ? `http://${text}` : text))
  .pipe(z.url({ protocol: /^https?$/, error: nodeUrlDescription }));

const maxNodes = 16;
const nodeListDescription = `a list of 1 to ${maxNodes} different URLs`;

/** A chain's node URL, or a list of node URLs. */
export const nodeUrls = z.union(
  [
    nodeUrl,
    z
      .array(nodeUrl)
      .min(1, nodeListDescription)
      .max(maxNodes, nodeListDescription)
      .refine((urls) => new Set(urls).size === urls.length, nodeListDescription),
  ],
  { error: `${nodeUrlDescription}, or ${nodeListDescription}` },
);

/** A chain's node URLs, in order of preference; empty if it has none. */
export const nodeUrlsOf = ({ rpc }: { readonly rpc?: string | readonly string[] | undefined }): readonly string[] =>
  rpc === undefined ? [] : typeof rpc === "string" ? [rpc] : rpc;
