import { createBitcoinRpc, createBitcoinSource } from "../chain/bitcoin/source.ts";
import { connectToRespondingNode } from "../chain/nodes/connect-to-responding-node.ts";
import { asObject, readHash, readQuantity } from "../chain/quantities.ts";
import { type Config, isBitcoinChain } from "../config/config.ts";
import { nodeUrlsOf } from "../config/fields.ts";
import { bitcoinNetworks } from "../lib/bitcoin/networks.ts";
import type { Hash } from "../lib/hex.ts";

type ConfiguredChain = Config["chains"][number];

/** The values that identify a chain. */
export interface ChainIdentity {
  readonly name: string;
  /** The configured id, or the one that its node reports; null if neither is known. */
  readonly id: number | null;
  /** Null if no node responds. */
  readonly genesisHash: Hash | null;
  /** Why the genesis block is unknown; null if it is known. */
  readonly problem: string | null;
}

/** Reads a configured chain's identity from its first node that responds, if any. */
export async function readChainIdentity(chain: ConfiguredChain): Promise<ChainIdentity> {
  const { name } = chain;
  const id = chain.id ?? (isBitcoinChain(chain) ? bitcoinNetworks[chain.network].id : null);
  const urls = nodeUrlsOf(chain);
  if (urls.length === 0) return { name, id, genesisHash: null, problem: "it has no rpc in the configuration" };
  try {
    const reported = await (isBitcoinChain(chain) ? readBitcoin(urls[0] ?? "") : readEvm(urls));
    return { name, id: id ?? reported.id, genesisHash: reported.genesisHash, problem: null };
  } catch (error) {
    return { name, id, genesisHash: null, problem: error instanceof Error ? error.message : String(error) };
  }
}

const timeoutMilliseconds = 10_000;

/** Bitcoin has no chain ids. */
async function readBitcoin(url: string): Promise<{ readonly id: null; readonly genesisHash: Hash }> {
  const rpc = createBitcoinRpc({ url, retries: 1, timeoutMilliseconds });
  try {
    return { id: null, genesisHash: await createBitcoinSource(rpc).genesisHash() };
  } finally {
    await rpc.close();
  }
}

async function readEvm(urls: readonly string[]): Promise<{ readonly id: number; readonly genesisHash: Hash }> {
  const rpc = await connectToRespondingNode(urls, { retries: 1, timeoutMilliseconds });
  try {
    const chainId = await rpc.request("eth_chainId", []);
    const genesis = asObject(await rpc.request("eth_getBlockByNumber", ["0x0", false]), "block 0");
    return { id: readQuantity({ chainId }, "chainId"), genesisHash: readHash(genesis, "hash") };
  } finally {
    await rpc.close();
  }
}
