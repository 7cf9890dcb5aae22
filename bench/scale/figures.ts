import { availableCores } from "../../runtime/lib/available-cores.ts";
import { type BenchResult, median, rounded } from "../result.ts";
import type { RowCase } from "../serve/row-case.ts";
import type { CpuByRole, ScaleCell } from "./measure-cell.ts";

/** A cell with what it was measured with. */
export interface ScaleFigures {
  readonly rowCase: RowCase;
  readonly replicas: number;
  readonly processes: number;
  readonly cell: ScaleCell;
}

/** Without a growing chain, replicas have all that the server knows. */
const minShareOnReplicas = 0.95;

const roles = ["server", "primary", "replicas"] as const;
const titleOf = ({ row, name }: RowCase): string => `${row} ${name}`;
const percent = (share: number | null): number | string => (share === null ? "" : rounded(100 * share, 1));
const milliseconds = (value: number | null): number | string => (value === null ? "" : rounded(value, 3));

/** The tables, figures and missed targets of a run. */
export function resultOf(all: readonly ScaleFigures[], load: number): BenchResult {
  const groups = groupsOf(all);
  return {
    table: all.map(({ rowCase, replicas, processes, cell }) => ({
      row: titleOf(rowCase),
      replicas,
      processes,
      "req/s": rounded(cell.perSecond, 0),
      "p50 ms": rounded(cell.p50, 1),
      "p99 ms": rounded(cell.p99, 1),
      "server CPU ms": milliseconds(cell.cpu.server),
      "primary CPU ms": milliseconds(cell.cpu.primary),
      "replicas CPU ms": milliseconds(cell.cpu.replicas),
      "on replicas %": percent(cell.onReplicas),
      "server MB": cell.megabytes === null ? "" : rounded(cell.megabytes, 0),
    })),
    further: [groups.map(coreLine)],
    notes: [
      `Requests/s of a core are 1000 / the median CPU milliseconds per request of its role; N machines with C cores of a role serve N * C times as many. All roles share ${availableCores()} cores here, so the measured rates cannot grow with processes or replicas.`,
    ],
    figures: { load: rounded(load, 1), ...Object.fromEntries(groups.flatMap(figuresOf)) },
    missed: all.flatMap(({ rowCase, replicas, processes, cell: { onReplicas } }) =>
      replicas === 0 || onReplicas === null || onReplicas >= minShareOnReplicas
        ? []
        : [
            `Row ${titleOf(rowCase)} with ${replicas} replicas and ${processes} processes: ${percent(onReplicas)} % of the statements ran on replicas; the target is at least ${percent(minShareOnReplicas)} %.`,
          ],
    ),
  };
}

/** The cells of a row with a number of replicas, which differ in the number of processes. */
interface Group {
  readonly rowCase: RowCase;
  readonly replicas: number;
  readonly cells: readonly ScaleCell[];
}

function groupsOf(all: readonly ScaleFigures[]): Group[] {
  const rows = [...new Set(all.map(({ rowCase }) => rowCase))];
  return rows.flatMap((rowCase) => {
    const ofRow = all.filter((figures) => figures.rowCase === rowCase);
    return [...new Set(ofRow.map(({ replicas }) => replicas))].map((replicas) => ({
      rowCase,
      replicas,
      cells: ofRow.filter((figures) => figures.replicas === replicas).map(({ cell }) => cell),
    }));
  });
}

/** The median CPU milliseconds per request of a role over the numbers of processes. */
function medianCpu({ cells }: Group, role: keyof CpuByRole): number | null {
  const values = cells.map(({ cpu }) => cpu[role]).filter((value) => value !== null);
  return values.length === 0 ? null : median(values);
}

/** What a core of each role serves. */
function coreLine(group: Group) {
  const perCore = (role: keyof CpuByRole): number | string => {
    const cpu = medianCpu(group, role);
    return cpu === null || cpu === 0 ? "" : rounded(1000 / cpu, 0);
  };
  return {
    row: titleOf(group.rowCase),
    replicas: group.replicas,
    "req/s of a server core": perCore("server"),
    "of a primary core": perCore("primary"),
    "of a replica core": perCore("replicas"),
  };
}

const figuresOf = (group: Group): [string, number][] =>
  roles.flatMap((role) => {
    const cpu = medianCpu(group, role);
    const name = `row${group.rowCase.row}Replicas${group.replicas}${role[0]?.toUpperCase()}${role.slice(1)}Cpu`;
    return cpu === null || (role === "replicas" && group.replicas === 0) ? [] : [[name, rounded(cpu, 3)]];
  });
