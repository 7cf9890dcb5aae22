import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Address, Hex } from "../../runtime/lib/hex.ts";
import type { NodeClient } from "../node/client.ts";

/** The address of Multicall3 on nearly every chain. */
export const multicall3Address: Address = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** Loads the creation code from a file of viem that is not exported; viem's version is pinned. */
const loadCreationCode = async (): Promise<Hex> => {
  const folder = dirname(createRequire(import.meta.url).resolve("viem/package.json"));
  const module = (await import(pathToFileURL(join(folder, "_esm/constants/contracts.js")).href)) as { multicall3Bytecode: Hex };
  return module.multicall3Bytecode;
};

/** Sets the code of Multicall3 in the genesis state of a new chain. */
export const installMulticall = async (client: NodeClient): Promise<void> => {
  // Calling creation code returns the deployed code.
  const code = await client.request<Hex>("eth_call", [{ data: await loadCreationCode() }, "latest"]);
  await client.request("anvil_setCode", [multicall3Address, code]);
};
