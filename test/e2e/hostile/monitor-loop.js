/*
 * Loaded into a process before its program: measures its event loop delay. On SIGUSR2, it writes the figures since the last signal to the file that
 * ASHLAR_TEST_LOOP_FILE names, and resets them.
 */
import { renameSync, writeFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import process from "node:process";

const resolution = 1;
const histogram = monitorEventLoopDelay({ resolution });
histogram.enable();
let peakRss = 0;
setInterval(() => {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
}, 50).unref();

process.on("SIGUSR2", () => {
  const milliseconds = (percentile) => histogram.percentile(percentile) / 1e6 - resolution;
  const figures = {
    p50: milliseconds(50),
    p99: milliseconds(99),
    p9999: milliseconds(99.99),
    max: histogram.max / 1e6 - resolution,
    count: histogram.count,
    peakMegabytes: Math.round(peakRss / 2 ** 20),
  };
  const file = process.env.ASHLAR_TEST_LOOP_FILE;
  writeFileSync(`${file}.new`, JSON.stringify(figures));
  renameSync(`${file}.new`, file);
  histogram.reset();
  peakRss = process.memoryUsage.rss();
});
