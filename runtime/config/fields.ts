import { z } from "zod";
import type { Address } from "../lib/hex.ts";

/** An address in any case, read as lower case. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "0x and 40 hex digits are accepted")
  .transform((text) => text.toLowerCase() as Address);

/** Where something is on the web. */
export const httpUrl = z.url({ protocol: /^https?$/, error: "an http:// or https:// URL is accepted" });

/** This machine's own addresses: without a scheme, what a node's documentation prints. */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/i;

/** A node's URL. One of this machine may lack its scheme, since no key crosses a network in plain text there. */
export const nodeUrl = z
  .string()
  .transform((text) => (loopback.test(text) ? `http://${text}` : text))
  .pipe(z.url({ protocol: /^https?$/, error: "Expected an http:// or https:// URL, such as http://localhost:8545" }));
