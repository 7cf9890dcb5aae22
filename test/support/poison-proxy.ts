import type { Address } from "../../runtime/lib/hex.ts";
import type { RpcProxy } from "./rpc-proxy.ts";

/** The number of requests that a proxy refused. */
export interface RefusedRequests {
  count: number;
}

/** Refuses each request that contains a contract's address, like a gateway whose node times out on that contract. */
export const refuseContract = (proxy: RpcProxy, contract: Address, status = 504): RefusedRequests =>
  refuse(proxy, contract.slice(2), status);

/** Refuses each request with a contract call, like a gateway whose node cannot execute calls, and forwards the others. */
export const refuseAllCalls = (proxy: RpcProxy, status = 504): RefusedRequests => refuse(proxy, '"eth_call"', status);

const refuse = (proxy: RpcProxy, text: string, status: number): RefusedRequests => {
  const refused: RefusedRequests = { count: 0 };
  proxy.intercept = (body, response) => {
    if (!body.includes(text)) return false;
    refused.count += 1;
    response.writeHead(status).end("upstream failed");
    return true;
  };
  return refused;
};
