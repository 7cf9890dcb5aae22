import { availableCores } from "../../runtime/lib/available-cores.ts";
import { type BenchResult, median, rounded, roundedOrBlank } from "../result.ts";
import type { RowCase } from "../serve/row-case.ts";
import type { CpuByRole, ScaleCell } from "./measure-cell.ts";

/** The database servers of a cell. */
export interface Layout {
  readonly shards: number;
  readonly replicas: number;
}

/** A cell with the parameters of its measurement. */
export interface ScaleFigures {
  readonly rowCase: RowCase;
  readonly layout: Layout;
  readonly processes: number;
  readonly cell: ScaleCell;
}

/** High, because the chain of the index does not grow: replicas have replayed everything. */
const minShareOnReplicas = 0.95;

const roles = ["server", "primary", "replicas", "shard"] as const;
const titleOf = ({ row, name }: RowCase): string => `${row} ${name}`;
const percent = (share: number | null): number | string => (share === null ? "" : rounded(100 * share, 1));

/** The tables, figures and missed targets of a run. */
export function resultOf(all: readonly ScaleFigures[], load: number): BenchResult {
  const groups = groupsOf(all);
  return {
    table: all.map(({ rowCase, layout: { shards, replicas }, processes, cell }) => ({
      row: titleOf(rowCase),
      shards,
      replicas,
      processes,
      "req/s": rounded(cell.perSecond, 0),
      "p50 ms": rounded(cell.p50, 1),
      "p99 ms": rounded(cell.p99, 1),
      "server CPU ms": roundedOrBlank(cell.cpu.server, 3),
      "primary CPU ms": roundedOrBlank(cell.cpu.primary, 3),
      "replicas CPU ms": roundedOrBlank(cell.cpu.replicas, 3),
      "shard CPU ms": roundedOrBlank(cell.cpu.shard, 3),
      "on replicas %": percent(cell.replicaShare),
      "server MB": cell.megabytes === null ? "" : rounded(cell.megabytes, 0),
    })),
    otherTables: [groups.map(coreLine)],
    notes: [
      "Requests/s of a core = 1000 / median CPU milliseconds per request of its role; N machines with C cores each serve N * C times as many. " +
        `All roles share ${availableCores()} cores here, so the measured rates cannot grow with processes or replicas.`,
    ],
    figures: { load: rounded(load, 1), ...Object.fromEntries(groups.flatMap(figuresOf)) },
    missed: all.flatMap(missedOnReplicas),
  };
}

function missedOnReplicas({ rowCase, layout: { replicas }, processes, cell: { replicaShare } }: ScaleFigures): string[] {
  if (replicas === 0 || replicaShare === null || replicaShare >= minShareOnReplicas) return [];
  const target = `the target is at least ${percent(minShareOnReplicas)} %`;
  return [
    `Row ${titleOf(rowCase)} with ${replicas} replicas and ${processes} processes: ${percent(replicaShare)} % of the statements ran on replicas; ${target}.`,
  ];
}

/** A row's cells with the same database servers; they differ in the number of processes. */
interface Group {
  readonly rowCase: RowCase;
  readonly layout: Layout;
  readonly cells: readonly ScaleCell[];
}

function groupsOf(all: readonly ScaleFigures[]): Group[] {
  const rows = [...new Set(all.map(({ rowCase }) => rowCase))];
  return rows.flatMap((rowCase) => {
    const ofRow = all.filter((figures) => figures.rowCase === rowCase);
    return [...new Set(ofRow.map(({ layout }) => layout))].map((layout) => ({
      rowCase,
      layout,
      cells: ofRow.filter((figures) => figures.layout === layout).map(({ cell }) => cell),
    }));
  });
}

/** A role's CPU milliseconds per request: the median over the numbers of processes. */
function medianCpu({ cells }: Group, role: keyof CpuByRole): number | null {
  const values = cells.map(({ cpu }) => cpu[role]).filter((value) => value !== null);
  return values.length === 0 ? null : median(values);
}

/** The requests per second that one core of each role serves. */
function coreLine(group: Group) {
  const perCore = (role: keyof CpuByRole): number | string => {
    const cpu = medianCpu(group, role);
    return cpu === null || cpu === 0 ? "" : rounded(1000 / cpu, 0);
  };
  return {
    row: titleOf(group.rowCase),
    shards: group.layout.shards,
    replicas: group.layout.replicas,
    "req/s of a server core": perCore("server"),
    "of a primary core": perCore("primary"),
    "of a replica core": perCore("replicas"),
    "of a shard core": perCore("shard"),
  };
}

const figuresOf = (group: Group): [string, number][] =>
  roles.flatMap((role) => {
    const cpu = medianCpu(group, role);
    const { shards, replicas } = group.layout;
    const name = `row${group.rowCase.row}${shards === 1 ? `Replicas${replicas}` : `Shards${shards}`}${role[0]?.toUpperCase()}${role.slice(1)}Cpu`;
    return cpu === null || (role === "replicas" && replicas === 0) ? [] : [[name, rounded(cpu, 3)]];
  });
