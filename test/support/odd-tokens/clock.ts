/** A clock of this process that can be set forward. */
export interface Clock {
  /** Lets time pass at once: every later `new Date()` and `Date.now()` is that much later. Timers are not moved. */
  pass(milliseconds: number): void;
  restore(): void;
}

/** Replaces `Date`, so that work that is due in an hour can be seen in seconds. */
export const replaceClock = (): Clock => {
  const RealDate = globalThis.Date;
  let ahead = 0;
  class MovedDate extends RealDate {
    constructor(...given: unknown[]) {
      if (given.length === 0) super(RealDate.now() + ahead);
      else super(...(given as [number]));
    }
    static override now(): number {
      return RealDate.now() + ahead;
    }
    /** What was created before the clock was replaced, and by Node itself, is a date too. */
    static override [Symbol.hasInstance](value: unknown): boolean {
      return Object.prototype.toString.call(value) === "[object Date]";
    }
  }
  globalThis.Date = MovedDate as DateConstructor;
  return {
    pass: (milliseconds) => {
      ahead += milliseconds;
    },
    restore: () => {
      globalThis.Date = RealDate;
    },
  };
};
