import { fileURLToPath } from "node:url";

/** The program that tests start: compiled, as in an installed package, with the demo. Benchmarks run without Vitest and start the sources. */
export const program =
  process.env.VITEST === undefined
    ? fileURLToPath(new URL("../../bin/ashlar.js", import.meta.url))
    : (await import("vitest")).inject("program");
