import { createRpc } from "../chain/rpc.ts";
import { nullOnAbort } from "../lib/async.ts";
import { CommandError } from "./command-error.ts";

const neverAborted = new AbortController().signal;

/** Fetches the chain id from a chain's first responding node. @throws {CommandError} if none returns a valid one. */
export async function fetchChainId(name: string, urls: readonly string[], signal: AbortSignal = neverAborted): Promise<number> {
  const [url = "", ...others] = urls;
  const rpc = createRpc({ url, retries: 2, timeoutMilliseconds: 10_000 });
  try {
    const id = Number(await nullOnAbort(rpc.request("eth_chainId", []), signal));
    if (!Number.isSafeInteger(id) || id <= 0) throw new Error("the node returned an invalid chain id");
    return id;
  } catch (error) {
    signal.throwIfAborted();
    if (others.length > 0) return await fetchChainId(name, others, signal);
    throw new CommandError(
      `Cannot read the chain id of ${name} from its node (${error instanceof Error ? error.message : String(error)}); check --rpc or its rpc in ashlar.yaml.`,
    );
  } finally {
    await rpc.close();
  }
}
