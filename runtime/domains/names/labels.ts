import type { Address } from "../../lib/hex.ts";
import type { NameQueries } from "./queries/index.ts";

/** Labels by address. */
export type Labels = ReadonlyMap<Address, string>;

/** What answers call addresses. */
export interface LabelQueries {
  /** Labels of those addresses that have one: the operator's, else the name that the address claims. */
  readonly labels: (chainId: number, addresses: Iterable<Address | null>) => Promise<Labels>;
}

/** The label of an address among those that were looked up, or null. */
export const labelOf = (labels: Labels, address: Address | null): string | null =>
  address === null ? null : (labels.get(address) ?? null);

/** Looks labels up; the operator's are given by chain id. */
export const createLabelQueries = (names: Pick<NameQueries, "namesOf">, operator: ReadonlyMap<number, Labels>): LabelQueries => ({
  labels: async (chainId, addresses) => {
    const own = operator.get(chainId);
    const labels = new Map<Address, string>();
    const others = new Set<Address>();
    for (const address of addresses) {
      if (address === null) continue;
      const label = own?.get(address);
      if (label === undefined) others.add(address);
      else labels.set(address, label);
    }
    for (const [address, name] of others.size === 0 ? [] : await names.namesOf(chainId, others)) labels.set(address, name);
    return labels;
  },
});
