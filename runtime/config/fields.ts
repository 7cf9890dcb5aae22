import { z } from "zod";
import type { Address } from "../lib/hex.ts";

/** An address in any case, read as lower case. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "0x and 40 hex digits are accepted")
  .transform((text) => text.toLowerCase() as Address);

/** Where something is on the web. */
export const httpUrl = z.url({ protocol: /^https?$/, error: "an http:// or https:// URL is accepted" });
