import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

/** A line of a chart; null where there is no value. */
export interface Series {
  readonly label: string;
  readonly values: readonly (number | null)[];
}

const height = 200;
const colors = ["--series-1", "--series-2"];
const styleOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** A chart over days. Screen readers find its numbers in the table below the charts. */
export function Chart({
  title,
  days,
  series,
}: {
  readonly title: string;
  readonly days: readonly string[];
  readonly series: readonly Series[];
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const axis = {
      stroke: styleOf("--text"),
      grid: { stroke: styleOf("--line"), width: 1 },
      ticks: { stroke: styleOf("--line"), width: 1 },
    };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        cursor: { drag: { x: false, y: false } },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), "UTC"),
        axes: [
          {
            ...axis,
            values: (_plot, ticks) => ticks.map((tick) => new Date(tick * 1_000).toISOString().slice(5, 10)),
            incrs: [86_400, 604_800, 2_592_000],
          },
          { ...axis, size: 60 },
        ],
        scales: { y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] } },
        series: [
          { label: "Day", value: (_plot, seconds) => (seconds === null ? "–" : new Date(seconds * 1_000).toISOString().slice(0, 10)) },
          ...series.map(({ label }, position) => ({
            label,
            stroke: styleOf(colors[position] ?? "--text"),
            width: 2,
            points: { show: true, size: 6 },
          })),
        ],
      },
      [days.map((day) => Date.parse(day) / 1_000), ...series.map(({ values }) => [...values])],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [days, series]);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div ref={box} class="chart" role="img" aria-label={`${title}; the table “By day” has the numbers`} />
    </figure>
  );
}
