/** The result of an audit for one kind of values. */
export interface AuditRow {
  readonly what: string;
  readonly compared: number;
  /** Values that are unknown to the index or the node: neither right nor wrong. */
  readonly unknown: number;
  readonly differences: readonly string[];
}

/** A value of index and node; null where it is unknown. */
export interface Compared {
  readonly what: string;
  readonly index: string | null;
  readonly node: string | null;
}

/** Counts the comparisons of one kind, and lists the differences. */
export const auditRow = (what: string, compared: readonly Compared[]): AuditRow => ({
  what,
  compared: compared.length,
  unknown: compared.filter(({ index, node }) => index === null || node === null).length,
  differences: compared
    .filter(({ index, node }) => index !== null && node !== null && index !== node)
    .map((one) => `${one.what}: the index has ${one.index}, the node has ${one.node}`),
});
