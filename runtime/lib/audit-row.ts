/** The audit result for one kind of value, which `subject` names. */
export interface AuditRow {
  readonly subject: string;
  readonly comparedCount: number;
  /** The number of values that cannot be compared, because the index or the node does not know them. */
  readonly unknownCount: number;
  readonly differences: readonly string[];
}

/** A value in the index and on the node; null if it is unknown. */
export interface Compared {
  readonly subject: string;
  readonly index: string | null;
  readonly node: string | null;
}

/** Counts comparisons for one kind of value, and lists the differences. */
export const auditRow = (kind: string, compared: readonly Compared[]): AuditRow => ({
  subject: kind,
  comparedCount: compared.length,
  unknownCount: compared.filter(({ index, node }) => index === null || node === null).length,
  differences: compared
    .filter(({ index, node }) => index !== null && node !== null && index !== node)
    .map(({ subject, index, node }) => `${subject}: the index has ${index}, the node has ${node}`),
});
