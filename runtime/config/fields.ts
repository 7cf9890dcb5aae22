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

/** Loopback addresses without a scheme, as the documentation of nodes prints them. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i;

/** A node's URL. The scheme is optional for loopback addresses, because no secret is sent over a network in plain text. */
export const nodeUrl = z
  .string()
  .transform((text) => (loopback.test(text) ? `http://${text}` : text))
  .pipe(z.url({ protocol: /^https?$/, error: "an http:// or https:// URL, such as http://localhost:8545" }));
