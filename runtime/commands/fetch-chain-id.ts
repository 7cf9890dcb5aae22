import { createRpc } from "../chain/rpc.ts";
import { nullOnAbort } from "../lib/async.ts";
import { CommandError } from "./command-error.ts";

const neverAborted = new AbortController().signal;

/** Fetches the chain id from a chain's first responding node. @throws {CommandError} if none returns a valid one. */
export async function fetchChainId(name: string, urls: readonly string[], signal: AbortSignal = neverAborted): Promise<number> {
  const problems: string[] = [];
  for (const url of urls) {
    const rpc = createRpc({ url, retries: 2, timeoutMilliseconds: 10_000 });
    try {
      const id = Number(await nullOnAbort(rpc.request("eth_chainId", []), signal));
      if (Number.isSafeInteger(id) && id > 0) return id;
      problems.push("the node returned an invalid chain id");
    } catch (error) {
      signal.throwIfAborted();
      problems.push(error instanceof Error ? error.message : String(error));
    } finally {
      await rpc.close();
    }
  }
  const nodes = urls.length > 1 ? "any of its nodes" : "its node";
  throw new CommandError(
    `Cannot read the chain id of ${name} from ${nodes} (${problems.join("; ")}); check --rpc or its rpc in ashlar.yaml.`,
  );
}
