import { fileURLToPath } from "node:url";

/** The command line that tests start as processes: compiled, as an installed package runs it, with the demo. Benches, which run without Vitest, start that of the clone. */
export const program =
  process.env.VITEST === undefined
    ? fileURLToPath(new URL("../../bin/ashlar.js", import.meta.url))
    : (await import("vitest")).inject("program");
