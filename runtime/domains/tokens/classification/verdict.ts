/** The result of applying the rules. */
export interface Verdict<T> {
  readonly value: T;
  /** The name of the rule that applies; null if none does. */
  readonly rule: string | null;
  /** A sentence that explains the value; null if no rule applies. */
  readonly reason: string | null;
}

/** The verdict of a rule. */
export const byRule = <T>(value: T, rule: string, reason: string): Verdict<T> => ({ value, rule, reason });

/** The verdict if no rule applies. */
export const byDefault = <T>(value: T): Verdict<T> => ({ value, rule: null, reason: null });
