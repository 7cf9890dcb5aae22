import { parserOf } from "./parsed.ts";

/** Parses `true` or `false`, case-sensitively. */
export const parseBoolean = parserOf("true or false", (text) => (text === "true" ? true : text === "false" ? false : undefined));
