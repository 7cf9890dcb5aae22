/** The fields that determine the depth of a paged request. */
interface Paged {
  readonly page?: { readonly number: number; readonly size?: number };
  readonly contractAddress?: unknown;
  readonly secondaryTopics?: unknown;
  readonly traitsFilter?: unknown;
  readonly valuesFilter?: unknown;
}

/** The number of rows before a page, and the setting that limits it. */
export interface PageDepth {
  readonly offset: number;
  readonly limitName: "skippedRows" | "locatedRows";
}

/**
 * How a page's cost depends on the rows before it: `constant` if pages are height or ordinal ranges, or found by running sums; `located` if most of
 * these rows are skipped once for all pages (`createPageReader`); `skipped` if each page skips all of them.
 */
type Cost = "constant" | "located" | "skipped";

const costs: Readonly<Record<string, (request: Paged) => Cost>> = {
  getBlockHeights: () => "constant",
  getTransactionsForDex: () => "constant",
  getTransactionsForExchange: () => "constant",
  getTransactionsForTokenAddress: () => "constant",
  // The transfers of one token have no ordinals.
  getErc20TransfersForWalletAddress: ({ contractAddress }) => (contractAddress === null ? "constant" : "located"),
  getLogEventsByAddress: () => "located",
  getLogEventsByTopicHash: ({ secondaryTopics }) => (secondaryTopics === null ? "located" : "skipped"),
  getTransactionsForAccountAddress: () => "located",
  getTokenIdsForContractWithMetadata: ({ traitsFilter, valuesFilter }) =>
    traitsFilter === null && valuesFilter === null ? "located" : "skipped",
};

/** A page's depth; null if the cost does not depend on the page number. */
export function pageDepth(handler: string, request: unknown): PageDepth | null {
  const paged = request as Paged;
  if (paged.page?.size === undefined) return null;
  const cost = costs[handler]?.(paged) ?? "skipped";
  return cost === "constant"
    ? null
    : { offset: paged.page.number * paged.page.size, limitName: cost === "located" ? "locatedRows" : "skippedRows" };
}
