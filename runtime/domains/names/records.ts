/** What is kept of a node, by its number in the tables: the first two are a registry's word, the others a resolver's. */
export const nameRecords = { owner: 0, resolver: 1, address: 2, name: 3 } as const;

export type NameRecord = (typeof nameRecords)[keyof typeof nameRecords];
