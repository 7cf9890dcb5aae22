import { compileContracts } from "./compile.ts";
import { writeCompiled } from "./compiled.ts";

// `npm run compile-contracts`, after a change of a contract.
writeCompiled(compileContracts());
