import type { Address } from "../../lib/hex.ts";
import { forEachInTurns } from "../../lib/turns.ts";
import type { NameQueries } from "./queries/index.ts";

/** Labels by address. */
export type Labels = ReadonlyMap<string, string>;

/** Labels of addresses in responses. */
export interface LabelQueries {
  /** The label of each address: the operator's label, otherwise the name that the address claims. Addresses without a label are omitted. */
  readonly labels: (chainId: number, addresses: Iterable<Address | null>) => Promise<Labels>;
}

/** The label of an address among those that were looked up, or null. */
export const labelOf = (labels: Labels, address: Address | null): string | null =>
  address === null ? null : (labels.get(address) ?? null);

/** Creates the label queries; `operator` has the operator's labels by chain id. */
export const createLabelQueries = (names: Pick<NameQueries, "namesOf">, operator: ReadonlyMap<number, Labels>): LabelQueries => ({
  labels: async (chainId, addresses) => {
    const configured = operator.get(chainId);
    const labels = new Map<string, string>();
    const unlabeled = new Set<Address>();
    await forEachInTurns(addresses, (address) => {
      if (address === null) return;
      const label = configured?.get(address);
      if (label === undefined) unlabeled.add(address);
      else labels.set(address, label);
    });
    if (unlabeled.size === 0) return labels;
    const found = await names.namesOf(chainId, unlabeled);
    if (labels.size === 0) return found;
    for (const [address, name] of found) labels.set(address, name);
    return labels;
  },
});
