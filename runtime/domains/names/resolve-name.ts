import type { Address } from "../../lib/hex.ts";
import type { NameQueries } from "./queries/index.ts";

interface NamedChain {
  readonly id: number;
}

/**
 * Creates the function that resolves names in address parameters. For a path without a chain, the first configured chain that resolves the name is used. Names
 * resolve as of the indexed head, so `requireBuilt` rejects the request while the names projection is rebuilt.
 */
export const createNameResolution =
  (
    names: Pick<NameQueries, "resolveName">,
    chains: readonly NamedChain[],
    requireBuilt: (chains: readonly NamedChain[], projections: readonly ["names"]) => Promise<void>,
  ) =>
  async (chain: NamedChain | null, name: string): Promise<Address | null> => {
    const candidates = chain === null ? chains : [chain];
    const [address] = await Promise.all([firstAddress(names, candidates, name), requireBuilt(candidates, ["names"])]);
    return address;
  };

const firstAddress = async (
  names: Pick<NameQueries, "resolveName">,
  chains: readonly NamedChain[],
  name: string,
): Promise<Address | null> => {
  for (const { id } of chains) {
    const address = await names.resolveName(id, name);
    if (address !== null) return address;
  }
  return null;
};
