import { type AnyChainConfig, isBitcoinChain, isEvmChain } from "../config/config.ts";
import type { ChainDirectory } from "./context.ts";

/** Creates the chain directory from the configured chains. */
export function createChainDirectory(all: readonly AnyChainConfig[]): ChainDirectory {
  const byId = new Map(all.map((chain) => [chain.id, chain]));
  const chains = all.filter((chain) => isEvmChain(chain));
  return {
    get(chainId) {
      const chain = byId.get(chainId);
      if (chain === undefined || isBitcoinChain(chain)) throw new RangeError(`Chain ${chainId} is not a configured EVM chain.`);
      return chain;
    },
    evmChains: () => chains,
    bitcoin(chainId) {
      const chain = byId.get(chainId);
      return chain !== undefined && isBitcoinChain(chain) ? chain : undefined;
    },
    all: () => all,
  };
}
