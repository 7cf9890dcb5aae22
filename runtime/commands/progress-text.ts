import type { Rates } from "./rate-meter.ts";

/** A task's progress. */
export interface TaskProgress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
  /** The unit and rates; null for short tasks. */
  readonly pace: { readonly unit: string; readonly rates: Rates } | null;
}

const maxBarLength = 30;
const minBarLength = 5;

/** Formats `1234.5` as `1,235`, `1.25` as `1.3`, and null as `-`. */
const formatAmount = (value: number | null): string => {
  if (value === null) return "-";
  return value >= 10 || Number.isInteger(value) ? Math.round(value).toLocaleString("en-US") : value.toFixed(1);
};

/** Formats a time in its two largest units: `2 d 3 h`, `1 h 5 min`, `12 s`; null as `-`. */
export const formatDuration = (seconds: number | null): string => {
  if (seconds === null || !Number.isFinite(seconds)) return "-";
  const rounded = Math.ceil(seconds);
  const parts: readonly (readonly [number, string])[] = [
    [Math.floor(rounded / 86_400), "d"],
    [Math.floor(rounded / 3_600) % 24, "h"],
    [Math.floor(rounded / 60) % 60, "min"],
    [rounded % 60, "s"],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  const shown = first < 0 ? parts.slice(-1) : parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(" ");
};

const percent = ({ done, total }: TaskProgress): string => `${total <= 0 ? 100 : Math.floor((100 * done) / total)}%`;

const paceOf = ({ done, total, pace }: TaskProgress): string[] => {
  if (pace === null) return [];
  const { donePerSecond, rowsPerSecond, secondsLeft } = pace.rates;
  const left = done >= total ? [] : [`${formatDuration(secondsLeft)} left`];
  return [`${formatAmount(donePerSecond)} ${pace.unit}/s`, `${formatAmount(rowsPerSecond)} rows/s`, ...left];
};

/** Renders a line such as `index demo: 1,200 of 20,000 blocks (6%), 350 blocks/s, 4,100 rows/s, 54 s left`. */
export const renderLine = (task: TaskProgress): string => {
  const { label, done, total, pace } = task;
  const count = `${formatAmount(done)} of ${formatAmount(total)}${pace === null ? "" : ` ${pace.unit}`} (${percent(task)})`;
  return `${label}: ${[count, ...paceOf(task)].join(", ")}`;
};

/** Renders a bar for a terminal with this many columns; the label is padded. */
export const renderBar = (task: TaskProgress, labelWidth: number, columns: number): string => {
  const { label, done, total } = task;
  const figures = [`${percent(task).padStart(4)}  ${formatAmount(done)}/${formatAmount(total)}`, ...paceOf(task)].join("  ");
  const available = columns - labelWidth - figures.length - 3;
  const length = Math.max(minBarLength, Math.min(maxBarLength, available));
  const full = total <= 0 ? length : Math.min(length, Math.floor((length * done) / total));
  return `${label.padEnd(labelWidth)} ${"█".repeat(full)}${"░".repeat(length - full)} ${figures}`;
};
