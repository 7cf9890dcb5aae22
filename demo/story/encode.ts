import { type Abi, encodeFunctionData } from "viem";
import type { Hex } from "../../runtime/lib/hex.ts";

/** Encodes a call of a function whose ABI is not known to the compiler. */
export const encode = (abi: Abi, functionName: string, parameters: readonly unknown[] = []): Hex =>
  encodeFunctionData({ abi, functionName, args: parameters });

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
