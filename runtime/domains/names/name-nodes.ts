import { keccak256, stringToBytes } from "viem";
import { namehash } from "viem/ens";
import type { Address, Hash } from "../../lib/hex.ts";

/** The namespace of reverse names of Ethereum addresses (EIP-181). */
const ethereumReverse = namehash("addr.reverse");

/** The node of a normalized name (EIP-137, "namehash"). */
export const nodeOf = (normalizedName: string): Hash => namehash(normalizedName);

/** The namespaces in which an address of a chain may claim its name, in order of precedence: the chain's (ENSIP-19, ENSIP-11), then Ethereum's. */
export const reverseNamespaces = (chainId: number): readonly Hash[] =>
  chainId === 1 || chainId >= 0x8000_0000
    ? [ethereumReverse]
    : [namehash(`${(0x8000_0000 + chainId).toString(16)}.reverse`), ethereumReverse];

/** The node of an address in a namespace: its label is the address in lower-case hex (EIP-181). */
export const reverseNode = (namespace: Hash, address: Address): Hash =>
  keccak256(`${namespace}${keccak256(stringToBytes(address.slice(2))).slice(2)}`);
