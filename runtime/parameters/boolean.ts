import { parserOf } from "./parsed.ts";

/** `true` or `false`, spelt so. */
export const parseBoolean = parserOf("true or false", (text) => (text === "true" ? true : text === "false" ? false : undefined));
