import { stderr, stdout } from "node:process";
import { MultiBar, type SingleBar } from "cli-progress";
import type { LogDestination } from "../logger.ts";
import { renderBar, renderLine, type Standing } from "./progress-text.ts";
import { createRates, type RatesOfWork } from "./rates.ts";

/** What is counted and how many rows were written since the last report. */
export interface Pace {
  readonly unit: string;
  readonly rows: number;
}

/** Shows how far long work has come: on a terminal bars that go away when they are full, lines elsewhere, with the same figures. */
export interface Progress {
  /** `done` of `total` steps of a phase by now; the total may grow. */
  report(phase: string, done: number, total: number, pace?: Pace): void;
  /** Says one line, above the bars. */
  say(line: string): void;
  end(): void;
  /** Where logs must go for the bars to stay whole; undefined where the two do not meet. */
  readonly logs?: LogDestination;
}

/** A process that is watched for days shall not fill a disk with lines: at first often, later seldom. */
const linesApart = { atFirst: 2_000, atLast: 30_000 } as const;

/** Progress for this process's standard output. */
export const createProgress = (clock: () => number = () => performance.now()): Progress =>
  stdout.isTTY ? createBars(clock) : createLines(clock, (line) => void stdout.write(`${line}\n`));

/** Each phase's standing, by its name. */
const createStandings = (clock: () => number) => {
  const standings = new Map<string, { done: number; total: number; unit: string | null; rates: RatesOfWork }>();
  return {
    note(phase: string, done: number, total: number, pace: Pace | undefined): void {
      const known = standings.get(phase) ?? { done, total, unit: pace?.unit ?? null, rates: createRates(clock) };
      known.rates.note(done, pace?.rows ?? 0);
      standings.set(phase, Object.assign(known, { done, total }));
    },
    of(phase: string): Standing {
      const { done, total, unit, rates } = standings.get(phase) ?? { done: 0, total: 0, unit: null, rates: createRates(clock) };
      return { label: phase, done, total, pace: unit === null ? null : { unit, rates: rates.of(total) } };
    },
    forget: (phase: string): void => void standings.delete(phase),
    labelWidth: () => Math.max(0, ...[...standings.keys()].map((phase) => phase.length)),
  };
};

function createBars(clock: () => number): Progress {
  const standings = createStandings(clock);
  const write = (text: string): void => void stdout.write(text);
  let bars: MultiBar | null = null;
  const running = new Map<string, SingleBar>();
  let ended = false;
  const open = (): MultiBar =>
    new MultiBar({
      stream: stdout,
      hideCursor: true,
      clearOnComplete: true,
      fps: 4,
      // A printed line overwrites the bars below it, although they have not changed.
      forceRedraw: true,
      // Computed at each drawing, so that the rate of work that makes no progress falls.
      format: (_options, _params, { phase }: { readonly phase: string }) =>
        renderBar(standings.of(phase), standings.labelWidth(), stdout.columns || 80),
    });
  const close = (): void => {
    // Lines that were said since the last drawing; clearing forgets them.
    bars?.update();
    bars?.stop();
    bars = null;
    running.clear();
  };
  const above = (text: string, otherwise: (text: string) => void): void => (bars === null ? otherwise(text) : bars.log(text));
  return {
    report(phase, done, total, pace) {
      if (ended || (done >= total && !running.has(phase))) return;
      standings.note(phase, done, total, pace);
      bars ??= open();
      const bar = running.get(phase) ?? bars.create(total, done, { phase });
      running.set(phase, bar);
      bar.setTotal(total);
      bar.update(done, { phase });
      if (done < total) return;
      standings.forget(phase);
      running.delete(phase);
      bars.remove(bar);
      if (running.size === 0) close();
    },
    say: (line) => above(`${line}\n`, write),
    end: () => {
      if (!ended) close();
      ended = true;
    },
    // Standard error on the same terminal: a line of it would stand in the middle of a bar.
    ...(stderr.isTTY ? { logs: { write: (text) => above(text, (line) => void stderr.write(line)) } } : {}),
  };
}

/** Progress as lines: the first report, then one now and then, and the end of each phase. */
export function createLines(clock: () => number, say: (line: string) => void): Progress {
  const standings = createStandings(clock);
  const said = new Map<string, { readonly begun: number; at: number; finished: number | null }>();
  return {
    report(phase, done, total, pace) {
      standings.note(phase, done, total, pace);
      const now = clock();
      const last = said.get(phase);
      const apart = Math.min(linesApart.atLast, Math.max(linesApart.atFirst, (now - (last?.begun ?? now)) / 20));
      const isNews = done >= total ? last?.finished !== total : last === undefined || now - last.at >= apart;
      if (!isNews) return;
      said.set(phase, { begun: last?.begun ?? now, at: now, finished: done >= total ? total : null });
      say(renderLine(standings.of(phase)));
    },
    say,
    end: () => undefined,
  };
}
