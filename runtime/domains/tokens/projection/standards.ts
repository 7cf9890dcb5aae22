/** The values of the column `standard`. */
export const standards = { native: 0, erc20: 1, erc721: 2, erc1155: 3 } as const;

const names: Readonly<Record<number, string>> = {
  [standards.erc20]: "erc20",
  [standards.erc721]: "erc721",
  [standards.erc1155]: "erc1155",
};

/** `supports_erc` of a contract: the standards whose events it has emitted (see `events/contract-standards.ts`), ascending. */
export const ercNamesOf = (emitted: readonly number[]): string[] => emitted.flatMap((standard) => names[standard] ?? []);
