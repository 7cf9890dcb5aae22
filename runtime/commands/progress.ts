import { stdout } from "node:process";
import { MultiBar, Presets, type SingleBar } from "cli-progress";

/** Shows how far long work has come: bars on a terminal, lines elsewhere. */
export interface Progress {
  /** `done` of `total` steps of a phase; the phase ends when they are equal. */
  report(phase: string, done: number, total: number, remark?: string): void;
  /** Says one line, above the bars. */
  say(line: string): void;
  end(): void;
}

const linesApartMilliseconds = 2_000;

/** Progress for this process's standard output. */
export function createProgress(clock: () => number = Date.now): Progress {
  return stdout.isTTY ? createBars() : createLines(clock);
}

function createBars(): Progress {
  const bars = new MultiBar(
    { format: "{phase} {bar} {value}/{total} {remark}", hideCursor: true, clearOnComplete: false },
    Presets.shades_classic,
  );
  const running = new Map<string, SingleBar>();
  return {
    report(phase, done, total, remark = "") {
      const payload = { phase: phase.padEnd(24), remark };
      const bar = running.get(phase) ?? bars.create(total, done, payload);
      running.set(phase, bar);
      bar.setTotal(total);
      bar.update(done, payload);
    },
    say: (line) => (bars.isActive ? bars.log(`${line}\n`) : void stdout.write(`${line}\n`)),
    end: () => bars.stop(),
  };
}

function createLines(clock: () => number): Progress {
  const saidAt = new Map<string, number>();
  const say = (line: string): void => void stdout.write(`${line}\n`);
  return {
    report(phase, done, total, remark = "") {
      const last = saidAt.get(phase) ?? 0;
      if (done < total && clock() - last < linesApartMilliseconds) return;
      if (last === Number.POSITIVE_INFINITY) return;
      saidAt.set(phase, done >= total ? Number.POSITIVE_INFINITY : clock());
      say(`${phase}: ${done} of ${total}${remark === "" ? "" : ` ${remark}`}`);
    },
    say,
    end: () => undefined,
  };
}
