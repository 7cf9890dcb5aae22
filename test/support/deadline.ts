/** How much slower this machine is than the reference: measured once a run by vitest.config.ts, and inherited by every worker. */
const slowness = (): number => Number(process.env.ASHLAR_TEST_SLOWNESS ?? "1");

/** A limit of time on the reference machine in whole milliseconds, scaled to the measured speed of this one. Every wait and assertion with a limit uses it. */
export const deadline = (milliseconds: number): number => Math.ceil(milliseconds * slowness());
