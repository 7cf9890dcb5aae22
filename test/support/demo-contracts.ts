import { compileContracts } from "../../demo/contracts/compile.ts";
import { contractsDirectory } from "./cache.ts";

/** The contracts of the demo, by name. */
export const demoContracts = await compileContracts(contractsDirectory);
