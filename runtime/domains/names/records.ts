/** The records of a node by their numbers in the tables: the first two are from a registry, the others from a resolver. */
export const nameRecords = { owner: 0, resolver: 1, address: 2, name: 3 } as const;

export type NameRecord = (typeof nameRecords)[keyof typeof nameRecords];
