import { type BitcoinChainConfig, bitcoinChainSchema } from "../../runtime/config/bitcoin.ts";
import { bitcoinNetworks } from "../../runtime/lib/bitcoin/networks.ts";
import type { Hash } from "../../runtime/lib/hex.ts";
import { createRpcHandler } from "./rpc-handler.ts";
import { startRpcServer } from "./rpc-server.ts";
import { createBitcoinDemoStory } from "./story.ts";

/** Long, because the chain gets no new blocks. */
const pollMilliseconds = 60_000;

/** The demo's running Bitcoin node. */
export interface BitcoinDemo {
  readonly rpcUrl: string;
  readonly chain: BitcoinChainConfig;
  /** The addresses of the story's wallets, as story values. */
  readonly values: Readonly<Record<string, string>>;
  /** The block hash at a height; null if there is none. */
  hashAt(height: number): Hash | null;
  stop(): Promise<void>;
}

/** Creates the chain and serves it on a free port of the loopback interface. The genesis time determines the chain, so nothing is stored. */
export const startBitcoin = async (genesisTime: number): Promise<BitcoinDemo> => {
  const { chain, values } = createBitcoinDemoStory(genesisTime);
  const server = await startRpcServer({ handler: createRpcHandler(() => chain, { client: "Ashlar Demo" }), supportsJsonRpc2: true });
  const rpcUrl = `http://127.0.0.1:${server.port}`;
  const config = bitcoinChainSchema.parse({
    name: "btc-regtest",
    kind: "bitcoin",
    network: "regtest",
    label: "Ashlar Demo Bitcoin",
    isTestnet: true,
    rpc: rpcUrl,
    pollMilliseconds,
  });
  return {
    rpcUrl,
    chain: { ...config, id: bitcoinNetworks.regtest.id },
    values,
    hashAt: (height) => {
      const block = chain.blocks[height];
      return block === undefined ? null : `0x${block.hash}`;
    },
    stop: server.stop,
  };
};
