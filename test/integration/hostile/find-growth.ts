import process from "node:process";

/** A function that processes untrusted input, with the input for which it takes the longest. */
export interface DoublingCase {
  /** The function and the kind of input. */
  readonly name: string;
  /** The function runs with an eighth and with twice this size. If it limits its input, use half the limit or a size far above it. */
  readonly size: number;
  readonly input: (size: number) => unknown;
  readonly run: (input: never) => unknown;
}

/**
 * For 16 times the input, linear work takes 16 times as long, and quadratic work 256 times. The limit is a factor of four from both: it tolerates
 * noise on a busy machine (up to 2.2 was measured) and jumps when V8 changes optimization tiers, and detects work that is only partly quadratic.
 */
const acceptedRatio = 64;
/** The duration of one sample, long enough for the clock's resolution and short interruptions. */
const sampleMilliseconds = 2;
const minSampleCount = 3;
/** Max CPU time for measuring again while the ratio is too high. */
const defaultRetryMilliseconds = 5_000;
/** Max time for which one input may block the process. */
const maxRunMilliseconds = 1_000;

/** Returns this process's CPU time in milliseconds, summed over all threads. */
const cpuTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/**
 * Returns the shorter of CPU time and elapsed time, in milliseconds. On a busy machine, elapsed time includes interruptions, and CPU time includes
 * garbage collection threads that wait for each other.
 */
const timeOf = (run: () => unknown, repetitions: number): number => {
  const [start, startElapsed] = [cpuTime(), performance.now()];
  for (let count = 0; count < repetitions; count += 1) run();
  return Math.min(cpuTime() - start, performance.now() - startElapsed);
};

/**
 * Returns why a function is not linear, or null if it is. Interruptions can only make a sample slower, so the fastest sample of each size counts, and
 * more samples are taken while the ratio is too high.
 */
export function findGrowth({ size, input, run }: DoublingCase, retryMilliseconds = defaultRetryMilliseconds): string | null {
  const [smallSize, largeSize] = [Math.ceil(size / 8), 2 * size];
  const [small, large] = [input(smallSize), input(largeSize)];
  const [runSmall, runLarge] = [() => run(small as never), () => run(large as never)];
  // A sample that takes too long is measured again: it may include an interruption or garbage collection for another case.
  let duration = timeOf(runLarge, 1);
  for (let retry = 0; retry < 2 && duration > maxRunMilliseconds; retry += 1) duration = Math.min(duration, timeOf(runLarge, 1));
  if (duration > maxRunMilliseconds)
    return `took ${Math.round(duration)} ms at size ${largeSize}; at most ${maxRunMilliseconds} ms are accepted`;
  const repetitions = Math.max(1, Math.ceil(sampleMilliseconds / Math.max(timeOf(runSmall, 3) / 3, 1e-4)));
  const end = cpuTime() + retryMilliseconds;
  let [fastestSmall, fastestLarge] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let sample = 0; sample < minSampleCount || (fastestLarge >= acceptedRatio * fastestSmall && cpuTime() < end); sample += 1) {
    fastestSmall = Math.min(fastestSmall, timeOf(runSmall, repetitions));
    fastestLarge = Math.min(fastestLarge, timeOf(runLarge, repetitions));
  }
  const ratio = fastestLarge / fastestSmall;
  return ratio < acceptedRatio
    ? null
    : `takes ${ratio.toFixed(1)} times as long at size ${largeSize} as at size ${smallSize}; less than ${acceptedRatio} times is accepted`;
}
