import { keccak256, stringToBytes } from "viem";
import { namehash } from "viem/ens";
import type { Address, Hash } from "../../lib/hex.ts";

/** The namespace of reverse names of ether's addresses (EIP-181). */
const reverseOfEther = namehash("addr.reverse");

/** The node of a normal name (EIP-137, "namehash"). */
export const nodeOf = (normal: string): Hash => namehash(normal);

/** The namespaces in which an address of a chain may claim its name, the nearest first: the chain's own (ENSIP-19, ENSIP-11), then ether's. */
export const reverseNamespaces = (chainId: number): readonly Hash[] =>
  chainId === 1 || chainId >= 0x8000_0000
    ? [reverseOfEther]
    : [namehash(`${(0x8000_0000 + chainId).toString(16)}.reverse`), reverseOfEther];

/** The node of an address in a namespace: its label is the address in lower-case hex (EIP-181). */
export const reverseNode = (namespace: Hash, address: Address): Hash =>
  keccak256(`${namespace}${keccak256(stringToBytes(address.slice(2))).slice(2)}`);
