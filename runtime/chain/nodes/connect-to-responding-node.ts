import { createRpc, type Rpc, type RpcOptions } from "../rpc.ts";

const timeoutMilliseconds = 5_000;

/** Creates a client for the first node that responds; if none does, for the first node, so that its error is reported. */
export const connectToRespondingNode = async (urls: readonly string[], options: Omit<RpcOptions, "url">): Promise<Rpc> => {
  for (const url of urls.length > 1 ? urls : []) if (await isResponding(url)) return createRpc({ ...options, url });
  return createRpc({ ...options, url: urls[0] ?? "" });
};

const isResponding = async (url: string): Promise<boolean> => {
  const rpc = createRpc({ url, retries: 0, timeoutMilliseconds });
  try {
    await rpc.request("eth_chainId", []);
    return true;
  } catch {
    return false;
  } finally {
    await rpc.close();
  }
};
