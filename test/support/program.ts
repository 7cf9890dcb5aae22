import { inject } from "vitest";

/** The compiled command line: what an installed package runs, and the demo. */
export const program = inject("program");
