/** How many times slower than the reference this machine is: measured once per run by vitest.config.ts, and inherited by every worker. */
const slowness = (): number => Number(process.env.ASHLAR_TEST_SLOWNESS ?? "1");

/** Scales a time limit of the reference machine to the measured speed of this one, in whole milliseconds. Every wait and assertion with a limit uses it. */
export const deadline = (milliseconds: number): number => Math.ceil(milliseconds * slowness());
