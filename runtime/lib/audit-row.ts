/** The result of an audit for one kind of values, which is its subject. */
export interface AuditRow {
  readonly subject: string;
  readonly compared: number;
  /** Values that are unknown to the index or the node: neither right nor wrong. */
  readonly unknown: number;
  readonly differences: readonly string[];
}

/** A value of index and node; null where it is unknown. */
export interface Compared {
  readonly subject: string;
  readonly index: string | null;
  readonly node: string | null;
}

/** Counts the comparisons of one kind, and lists the differences. */
export const auditRow = (subject: string, compared: readonly Compared[]): AuditRow => ({
  subject,
  compared: compared.length,
  unknown: compared.filter(({ index, node }) => index === null || node === null).length,
  differences: compared
    .filter(({ index, node }) => index !== null && node !== null && index !== node)
    .map((one) => `${one.subject}: the index has ${one.index}, the node has ${one.node}`),
});
