import type { Address } from "../../lib/hex.ts";
import type { NameQueries } from "./queries/index.ts";

interface NamedChain {
  readonly id: number;
}

/**
 * What address parameters resolve names by. A path without a chain takes the first configured chain that knows the name. Where a name leads is about now, so
 * `requireBuilt` refuses it while names are rebuilt.
 */
export const createNameResolution =
  (
    names: Pick<NameQueries, "resolveName">,
    chains: readonly NamedChain[],
    requireBuilt: (chains: readonly NamedChain[], projections: readonly ["names"]) => Promise<void>,
  ) =>
  async (chain: NamedChain | null, name: string): Promise<Address | null> => {
    const asked = chain === null ? chains : [chain];
    const [address] = await Promise.all([firstAddress(names, asked, name), requireBuilt(asked, ["names"])]);
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
