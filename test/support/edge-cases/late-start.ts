import type { RpcProxy } from "../rpc-proxy.ts";
import type { Comparison } from "./compare-heights.ts";

const keyOf = ({ token, owner, id }: Comparison): string => `${token} ${id} ${owner}`;

/** EIP-1155 has no call for an owner's total number of units: it is unknown if not all ids are indexed, or if the sum exceeds 256 bits. */
const isNumberOfUnits = ({ token }: Comparison): boolean => token === "number of editions";

/** Whether a value may be served as null. Before a late start the hybrid's number of tokens is unknown too, because its `balanceOf` returns coins. */
export const mayBeUnknown = (comparison: Comparison, late: boolean): boolean =>
  isNumberOfUnits(comparison) || (late && comparison.token === "number of hybrid's art");

/** Returns the comparisons with a balance that differs from an earlier comparison: an index that starts late can determine only these. */
export const changedSince = (compared: readonly Comparison[], before: readonly Comparison[]): Comparison[] => {
  const earlier = new Map(before.map((comparison) => [keyOf(comparison), comparison.node ?? 0n]));
  const changed = new Set(compared.filter((comparison) => (comparison.node ?? 0n) !== earlier.get(keyOf(comparison))).map(keyOf));
  return compared.filter((comparison) => changed.has(keyOf(comparison)));
};

/** Makes a node respond to state reads below a height as if the state had been pruned. */
export const pruneState = (proxy: RpcProxy, oldest: number): void => {
  proxy.tamper = (method, response, params) => {
    if (!["eth_call", "eth_getBalance", "eth_getCode", "eth_getStorageAt"].includes(method)) return;
    const height = params.findLast((value) => typeof value === "string" && /^(0x[0-9a-f]{1,8}|earliest)$/.test(value));
    if (height === undefined || (height !== "earliest" && Number(height) >= oldest)) return;
    delete response.result;
    response.error = { code: -32_000, message: "missing trie node: state is not available" };
  };
};
