import type { Address } from "../../lib/hex.ts";
import type { NameQueries } from "./queries.ts";

/**
 * What address parameters resolve names by. A path without a chain takes the first configured chain that knows the name.
 */
export const createNameResolution =
  (names: Pick<NameQueries, "resolveName">, chains: readonly { readonly id: number }[]) =>
  async (chain: { readonly id: number } | null, name: string): Promise<Address | null> => {
    for (const { id } of chain === null ? chains : [chain]) {
      const address = await names.resolveName(id, name);
      if (address !== null) return address;
    }
    return null;
  };
