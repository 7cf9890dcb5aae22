import { readCompiled } from "../../demo/contracts/compiled.ts";

/** The demo's contracts, by name. */
export const demoContracts = readCompiled();
