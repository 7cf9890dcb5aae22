import { compileContracts } from "./compile.ts";
import { writeCompiled } from "./compiled.ts";

// Run with `npm run compile-contracts` after a contract has changed.
writeCompiled(compileContracts());
