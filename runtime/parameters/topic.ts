import type { Hex } from "../../generated/requests.gen.ts";
import { parserOf } from "./parsed.ts";

const topicPattern = /^0x[0-9a-f]{1,64}$/i;

/** Describes the accepted topics. */
export const topicExpected = "0x followed by 1 to 64 hex digits";

/** Parses a topic with or without leading zeros to 32 bytes in lower case: an indexed address or number is left-padded in a log (Solidity ABI, "Events"). */
export const parseTopic = parserOf(topicExpected, (text) =>
  topicPattern.test(text) ? (`0x${text.slice(2).toLowerCase().padStart(64, "0")}` as Hex) : undefined,
);
