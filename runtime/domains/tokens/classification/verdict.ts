/** What a rule says, and why. */
export interface Verdict<T> {
  readonly answer: T;
  /** The rule's name; null where none applies. */
  readonly rule: string | null;
  /** A sentence for whoever asks why; null where no rule applies. */
  readonly reason: string | null;
}

/** A verdict by a rule. */
export const ruled = <T>(answer: T, rule: string, reason: string): Verdict<T> => ({ answer, rule, reason });

/** What holds where no rule applies. */
export const unruled = <T>(answer: T): Verdict<T> => ({ answer, rule: null, reason: null });
