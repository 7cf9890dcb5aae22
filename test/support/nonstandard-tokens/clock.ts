/** Advances the clock of this process. */
export interface Clock {
  /** Adds to every later `new Date()` and `Date.now()`. Timers are unaffected. */
  advance(milliseconds: number): void;
  restore(): void;
}

/** Replaces `Date`, so tests need not wait for work due in an hour. */
export const replaceClock = (): Clock => {
  const RealDate = globalThis.Date;
  let ahead = 0;
  class MovedDate extends RealDate {
    constructor(...args: unknown[]) {
      if (args.length === 0) super(RealDate.now() + ahead);
      else super(...(args as [number]));
    }
    static override now(): number {
      return RealDate.now() + ahead;
    }
    /** Dates that Node.js creates, and those created before the replacement, are instances too. */
    static override [Symbol.hasInstance](value: unknown): boolean {
      return Object.prototype.toString.call(value) === "[object Date]";
    }
  }
  globalThis.Date = MovedDate as DateConstructor;
  return {
    advance: (milliseconds) => {
      ahead += milliseconds;
    },
    restore: () => {
      globalThis.Date = RealDate;
    },
  };
};
