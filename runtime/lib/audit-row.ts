/** What an audit compared of one kind, and where index and node differ. */
export interface AuditRow {
  readonly what: string;
  readonly compared: number;
  /** The index says that it does not know, or the node does not answer: neither right nor wrong. */
  readonly unknown: number;
  readonly differences: readonly string[];
}

/** One thing as both say it; null where one does not know. */
export interface Compared {
  readonly what: string;
  readonly index: string | null;
  readonly node: string | null;
}

/** The row of one kind of things. */
export const auditRow = (what: string, compared: readonly Compared[]): AuditRow => ({
  what,
  compared: compared.length,
  unknown: compared.filter(({ index, node }) => index === null || node === null).length,
  differences: compared
    .filter(({ index, node }) => index !== null && node !== null && index !== node)
    .map((one) => `${one.what}: the index has ${one.index}, the node says ${one.node}`),
});
