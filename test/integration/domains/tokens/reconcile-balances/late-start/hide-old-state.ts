import type { RpcProxy } from "../../../../../support/rpc-proxy.ts";

/** Makes a node serve only the state of its head. */
export const hideOldState = (node: RpcProxy, latest: number): void => {
  const stateful = new Set(["eth_getBalance", "eth_call"]);
  let head = latest;
  node.tamper = (method, response, params) => {
    if (method === "eth_getBlockByNumber" && params[0] === "latest") head = Number((response.result as { number: string }).number);
    if (!stateful.has(method) || Number(params[1]) >= head) return;
    delete response.result;
    response.error = { code: -32000, message: "missing trie node 5f3a (path ) state is not available" };
  };
};
