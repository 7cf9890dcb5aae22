import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Address } from "../../runtime/lib/hex.ts";
import type { TestChain } from "./chain.ts";

/** The address of Multicall3 on the chains that have it. */
export const multicallAddress: Address = "0xca11bde05977b3631167028862be2a173976ca11";

/** The runtime bytecode of Multicall3, from a module that viem does not export. */
export const multicallCode = async (chain: TestChain): Promise<string> => {
  const folder = join(createRequire(import.meta.url).resolve("viem"), "../..");
  const constants = (await import(pathToFileURL(join(folder, "_esm/constants/contracts.js")).href)) as { multicall3Bytecode: string };
  // Calling creation code returns the deployed code.
  return chain.rpc<string>("eth_call", [{ data: constants.multicall3Bytecode }, "latest"]);
};
