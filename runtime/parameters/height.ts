import { readDecimal, readHexNumeral } from "./numerals.ts";
import { parserOf } from "./parsed.ts";

const maxHeight = `${Number.MAX_SAFE_INTEGER}`;

/** Parses a block height in a path: decimal or `latest`. */
export const parseHeight = parserOf(`a decimal height up to ${maxHeight} or latest`, (text): number | "latest" | undefined =>
  text === "latest" ? text : readDecimal(text),
);

/** Parses a block height in a query: decimal, hex, `earliest` or `latest`. */
export const parseBlock = parserOf(
  `a height up to ${maxHeight} in decimal or 0x hex, earliest or latest`,
  (text): number | "earliest" | "latest" | undefined =>
    text === "earliest" || text === "latest" ? text : (readDecimal(text) ?? readHexNumeral(text)),
);
