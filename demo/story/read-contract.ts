import { type Abi, decodeFunctionResult } from "viem";
import type { Address, Hex } from "../../runtime/lib/hex.ts";
import type { NodeClient } from "../node/client.ts";
import { encode } from "./encode.ts";

/** Calls a function of a contract at the newest block, and decodes the result. */
export const readContract = async <Result>(
  node: NodeClient,
  to: Address,
  abi: Abi,
  functionName: string,
  parameters: readonly unknown[] = [],
): Promise<Result> => {
  const data = await node.request<Hex>("eth_call", [{ to, data: encode(abi, functionName, parameters) }, "latest"]);
  return decodeFunctionResult({ abi, functionName, data }) as Result;
};
