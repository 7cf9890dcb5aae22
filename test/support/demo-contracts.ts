import { readCompiled } from "../../demo/contracts/compiled.ts";

/** The contracts of the demo, by name. */
export const demoContracts = readCompiled();
