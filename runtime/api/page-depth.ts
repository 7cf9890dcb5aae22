/** The fields of a paged request that its depth depends on. */
interface Paged {
  readonly page?: { readonly number: number; readonly size?: number };
  readonly contractAddress?: unknown;
}

/** Lists whose pages are ranges of heights, or of the ordinals of a wallet's transactions: every page costs the same. */
const constantCost: Readonly<Record<string, (request: Paged) => boolean>> = {
  getBlockHeights: () => true,
  // The transfers of one token have no ordinals.
  getErc20TransfersForWalletAddress: ({ contractAddress }) => contractAddress === null,
};

/** The rows before a page that its statement reads and skips; 0 if the cost of a page does not depend on its number. */
export function skippedRows(handler: string, request: unknown): number {
  const paged = request as Paged;
  if (paged.page?.size === undefined || constantCost[handler]?.(paged) === true) return 0;
  return paged.page.number * paged.page.size;
}
