import type { Hex } from "../../generated/requests.gen.ts";
import { parserOf } from "./parsed.ts";

const hashPattern = /^0x[0-9a-f]{64}$/i;

/** Parses 32 bytes in hex, and converts them to lower case. */
export const parseHash = parserOf("0x followed by 64 hex digits", (text) =>
  hashPattern.test(text) ? (text.toLowerCase() as Hex) : undefined,
);
