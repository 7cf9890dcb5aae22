/** How many times slower this machine is than the reference machine. vitest.config.ts measures it once per run, and every worker inherits it. */
const slowness = (): number => Number(process.env.ASHLAR_TEST_SLOWNESS ?? "1");

/** Scales a time limit for the reference machine to this one's measured speed, in whole milliseconds. Every wait and assertion with a limit uses it. */
export const scaleTimeLimit = (milliseconds: number): number => Math.ceil(milliseconds * slowness());
