import { type Abi, encodeFunctionData, prepareEncodeFunctionData } from "viem";
import type { Hex } from "../../runtime/lib/hex.ts";

type PreparedFunction = Pick<Parameters<typeof encodeFunctionData>[0], "abi" | "functionName">;

const prepare = (abi: Abi, functionName: string): PreparedFunction => {
  const isOverloaded = abi.filter((item) => item.type === "function" && item.name === functionName).length > 1;
  // The parameters select one of several overloads.
  return isOverloaded ? { abi, functionName } : prepareEncodeFunctionData({ abi, functionName });
};

/** Caches functions by ABI and name: finding one and hashing its signature takes longer than encoding its parameters. */
const functions = new WeakMap<Abi, Map<string, PreparedFunction>>();

/** Encodes a call of a function whose ABI is not known to the compiler. */
export const encode = (abi: Abi, functionName: string, parameters: readonly unknown[] = []): Hex => {
  const cached = functions.get(abi) ?? new Map<string, PreparedFunction>();
  functions.set(abi, cached);
  const prepared = cached.get(functionName) ?? prepare(abi, functionName);
  cached.set(functionName, prepared);
  return encodeFunctionData({ ...prepared, args: parameters });
};

const encodeWords = (selector: string, words: readonly (Hex | bigint)[]): Hex =>
  `0x${selector}${words.map((word) => (typeof word === "bigint" ? word.toString(16) : word.slice(2)).padStart(64, "0")).join("")}`;

/** EIP-20 transfer(address,uint256). */
export const encodeTransfer = (to: Hex, amount: bigint): Hex => encodeWords("a9059cbb", [to, amount]);

/** EIP-20 approve(address,uint256); EIP-721 has the same function with a token id. */
export const encodeApprove = (spender: Hex, amount: bigint): Hex => encodeWords("095ea7b3", [spender, amount]);

/** EIP-20 transferFrom(address,address,uint256); EIP-721 has the same function with a token id. */
export const encodeTransferFrom = (from: Hex, to: Hex, amount: bigint): Hex => encodeWords("23b872dd", [from, to, amount]);

/** setApprovalForAll(address,bool) of EIP-721 and EIP-1155. */
export const encodeApprovalForAll = (operator: Hex, approved: boolean): Hex => encodeWords("a22cb465", [operator, approved ? 1n : 0n]);
