import { stderr, stdout } from "node:process";
import { MultiBar, type SingleBar } from "cli-progress";
import type { LogDestination } from "../logger.ts";
import { renderBar, renderLine, type TaskProgress } from "./progress-text.ts";
import { createRateMeter, type RateMeter } from "./rate-meter.ts";

/** The step unit, and the number of rows written since the last report. */
export interface Pace {
  readonly unit: string;
  readonly newRows: number;
}

/** Shows long tasks' progress: on a terminal as bars, which disappear when they are full, otherwise as lines. */
export interface Progress {
  /** Reports that `done` of `total` steps of a task are complete; the total may grow. */
  report(task: string, done: number, total: number, pace?: Pace): void;
  /** Prints one line above the bars. */
  print(line: string): void;
  end(): void;
  /** The destination of logs, so that they do not corrupt the bars; undefined if logs are not written to the same terminal. */
  readonly logs?: LogDestination;
}

/** Bounds of the interval between lines. It grows with the task's duration: a process that runs for days must not fill a disk. */
const lineMilliseconds = { min: 2_000, max: 30_000 } as const;

/** Creates the progress display for this process's standard output. */
export const createProgress = (clock: () => number = () => performance.now()): Progress =>
  stdout.isTTY ? createBars(clock) : createLineProgress(clock, (line) => void stdout.write(`${line}\n`));

/** Each task's progress, by name. */
const createTasks = (clock: () => number) => {
  const tasks = new Map<string, { done: number; total: number; unit: string | null; rateMeter: RateMeter }>();
  return {
    update(name: string, done: number, total: number, pace: Pace | undefined): void {
      const task = tasks.get(name) ?? { done, total, unit: pace?.unit ?? null, rateMeter: createRateMeter(clock) };
      task.rateMeter.record(done, pace?.newRows ?? 0);
      tasks.set(name, Object.assign(task, { done, total }));
    },
    get(name: string): TaskProgress {
      const { done, total, unit, rateMeter } = tasks.get(name) ?? { done: 0, total: 0, unit: null, rateMeter: createRateMeter(clock) };
      return { label: name, done, total, pace: unit === null ? null : { unit, rates: rateMeter.get(total) } };
    },
    delete: (name: string): void => void tasks.delete(name),
    labelWidth: () => Math.max(0, ...[...tasks.keys()].map((name) => name.length)),
  };
};

function createBars(clock: () => number): Progress {
  const tasks = createTasks(clock);
  const write = (text: string): void => void stdout.write(text);
  let bars: MultiBar | null = null;
  const running = new Map<string, SingleBar>();
  let isEnded = false;
  const open = (): MultiBar =>
    new MultiBar({
      stream: stdout,
      hideCursor: true,
      clearOnComplete: true,
      fps: 4,
      // A printed line overwrites the bars below it, so they are redrawn even if they have not changed.
      forceRedraw: true,
      // Rendered at each redraw, so that the shown rate of a stalled task falls.
      format: (_options, _params, { task }: { readonly task: string }) =>
        renderBar(tasks.get(task), tasks.labelWidth(), stdout.columns || 80),
    });
  const close = (): void => {
    // Draws the lines that were added since the last redraw; otherwise stopping would drop them.
    bars?.update();
    bars?.stop();
    bars = null;
    running.clear();
  };
  const writeAbove = (text: string, writeDirectly: (text: string) => void): void => (bars === null ? writeDirectly(text) : bars.log(text));
  return {
    report(task, done, total, pace) {
      if (isEnded || (done >= total && !running.has(task))) return;
      tasks.update(task, done, total, pace);
      bars ??= open();
      const bar = running.get(task) ?? bars.create(total, done, { task });
      running.set(task, bar);
      bar.setTotal(total);
      bar.update(done, { task });
      if (done < total) return;
      tasks.delete(task);
      running.delete(task);
      bars.remove(bar);
      if (running.size === 0) close();
    },
    print: (line) => writeAbove(`${line}\n`, write),
    end: () => {
      if (!isEnded) close();
      isEnded = true;
    },
    // Standard error is on the same terminal: its lines would interrupt a bar.
    ...(stderr.isTTY ? { logs: { write: (text) => writeAbove(text, (line) => void stderr.write(line)) } } : {}),
  };
}

/** Creates a progress display of lines: one for each task's first report, one for its completion, and some in between. */
export function createLineProgress(clock: () => number, print: (line: string) => void): Progress {
  const tasks = createTasks(clock);
  const printed = new Map<string, { readonly start: number; at: number; finished: number | null }>();
  return {
    report(task, done, total, pace) {
      tasks.update(task, done, total, pace);
      const now = clock();
      const last = printed.get(task);
      const interval = Math.min(lineMilliseconds.max, Math.max(lineMilliseconds.min, (now - (last?.start ?? now)) / 20));
      const isDue = done >= total ? last?.finished !== total : last === undefined || now - last.at >= interval;
      if (!isDue) return;
      printed.set(task, { start: last?.start ?? now, at: now, finished: done >= total ? total : null });
      print(renderLine(tasks.get(task)));
    },
    print,
    end: () => undefined,
  };
}
