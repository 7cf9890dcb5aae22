import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Address } from "../../runtime/lib/hex.ts";
import type { TestChain } from "./chain.ts";

/** Where the multicall contract stands on chains that have it. */
export const multicall: Address = "0xca11bde05977b3631167028862be2a173976ca11";

/** The multicall contract's code. The package keeps it, and exports it nowhere. */
export const multicallCode = async (chain: TestChain): Promise<string> => {
  const folder = join(createRequire(import.meta.url).resolve("viem"), "../..");
  const constants = (await import(pathToFileURL(join(folder, "_esm/constants/contracts.js")).href)) as { multicall3Bytecode: string };
  // Calling creation code gives the code that it would leave behind.
  return chain.rpc<string>("eth_call", [{ data: constants.multicall3Bytecode }, "latest"]);
};
