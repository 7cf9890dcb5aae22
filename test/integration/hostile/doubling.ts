import process from "node:process";

/** A function over untrusted text, and its most expensive input. */
export interface DoublingCase {
  /** The function and the kind of input. */
  readonly name: string;
  /** The smaller of the two sizes; the other is twice as large. For a function that limits its input: half of the limit, or a size far above it. */
  readonly size: number;
  readonly input: (size: number) => unknown;
  readonly run: (input: never) => unknown;
}

/** Linear work doubles; quadratic work takes four times as long. */
const acceptedRatio = 2.5;
/** The duration of one sample, long enough for the clock's resolution and short interruptions. */
const sampleMilliseconds = 4;
const samples = 5;
/** Processor time during which a ratio that is too high is measured again. */
const defaultRetryMilliseconds = 5_000;
/** The maximum time that one input may block the process. */
const maxRunMilliseconds = 1_000;

/** Returns the processor time of this process, which excludes other processes. */
const processorTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const timeOf = (run: () => unknown, times: number): number => {
  const start = processorTime();
  for (let time = 0; time < times; time += 1) run();
  return processorTime() - start;
};

/**
 * Returns the reason why a function is not linear, or null. Interruptions can only make a sample slower, so the fastest sample of each size counts,
 * and more samples are taken while the ratio is too high.
 */
export function findGrowth({ size, input, run }: DoublingCase, retryMilliseconds = defaultRetryMilliseconds): string | null {
  const [small, large] = [input(size), input(2 * size)];
  const [runSmall, runLarge] = [() => run(small as never), () => run(large as never)];
  // A sample that is too long is measured again: it may include an interruption or the garbage collection of another case.
  let first = timeOf(runLarge, 1);
  for (let again = 0; again < 2 && first > maxRunMilliseconds; again += 1) first = Math.min(first, timeOf(runLarge, 1));
  if (first > maxRunMilliseconds) return `took ${Math.round(first)} ms at size ${2 * size}; at most ${maxRunMilliseconds} ms are accepted`;
  const times = Math.max(1, Math.ceil(sampleMilliseconds / Math.max(timeOf(runSmall, 3) / 3, 1e-4)));
  const end = processorTime() + retryMilliseconds;
  let [atSize, atDouble] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let sample = 0; sample < samples || (atDouble >= acceptedRatio * atSize && processorTime() < end); sample += 1) {
    atSize = Math.min(atSize, timeOf(runSmall, times));
    atDouble = Math.min(atDouble, timeOf(runLarge, times));
  }
  const ratio = atDouble / atSize;
  return ratio < acceptedRatio
    ? null
    : `takes ${ratio.toFixed(1)} times as long at size ${2 * size} as at size ${size}; less than ${acceptedRatio} times is accepted`;
}
