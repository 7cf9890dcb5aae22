import process from "node:process";

const nanosecondsPerMillisecond = 1e6;

/** Milliseconds on a clock that is never set back, and that all processes on a machine share (CLOCK_MONOTONIC on Linux). */
export const monotonicMilliseconds = (): number => Number(process.hrtime.bigint()) / nanosecondsPerMillisecond;
