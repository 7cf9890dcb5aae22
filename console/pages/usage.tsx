import { useMemo, useState } from "preact/hooks";
import type { KeyItem, UsageResponse, UsageRow } from "../../runtime/console/responses.ts";
import { Chart } from "../chart.tsx";
import { Field, Notice, numberColumn, PageHeading, Table } from "../components.tsx";
import { formatNumber } from "../format.ts";
import { useLoad } from "../use-load.ts";

const dayMilliseconds = 86_400_000;
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
const defaultDays = 30;

function UsageTable({
  caption,
  first,
  rows,
  nameOf = (row) => row.name,
}: {
  readonly caption: string;
  readonly first: string;
  readonly rows: readonly UsageRow[];
  readonly nameOf?: (row: UsageRow) => string;
}) {
  return (
    <>
      <h2>{caption}</h2>
      <Table caption={caption} head={[first, ...["Credits", "Requests", "Errors", "p50 ms", "p99 ms"].map(numberColumn)]}>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row">{nameOf(row)}</th>
            {[row.credits, row.requests, row.errors, row.p50, row.p99].map((value, column) => (
              <td key={column} class="number">
                {formatNumber(value)}
              </td>
            ))}
          </tr>
        ))}
      </Table>
    </>
  );
}

function Charts({ rows, from, to }: { readonly rows: readonly UsageRow[]; readonly from: string; readonly to: string }) {
  const { days, credits, requests, durations } = useMemo(() => {
    const byDay = new Map(rows.map((row) => [row.name, row]));
    const all: string[] = [];
    for (let time = Date.parse(from); time <= Date.parse(to); time += dayMilliseconds) all.push(dayOf(time));
    const column = (value: (row: UsageRow) => number | null, missing: number | null) =>
      all.map((day) => {
        const row = byDay.get(day);
        return row === undefined ? missing : value(row);
      });
    return {
      days: all,
      credits: [{ label: "Credits", values: column((row) => row.credits, 0) }],
      requests: [
        { label: "Requests", values: column((row) => row.requests, 0) },
        { label: "Errors", values: column((row) => row.errors, 0) },
      ],
      durations: [
        { label: "p50 ms", values: column((row) => row.p50, null) },
        { label: "p99 ms", values: column((row) => row.p99, null) },
      ],
    };
  }, [rows, from, to]);
  return (
    <div class="charts">
      <Chart title="Credits per day" days={days} series={credits} />
      <Chart title="Requests and errors per day" days={days} series={requests} />
      <Chart title="Request duration" days={days} series={durations} />
    </div>
  );
}

/** Usage by day, key and endpoint, as charts, tables and CSV. */
export function UsagePage({ keyId }: { readonly keyId: string }) {
  const today = dayOf(Date.now());
  const [from, setFrom] = useState(dayOf(Date.now() - (defaultDays - 1) * dayMilliseconds));
  const [to, setTo] = useState(today);
  const [key, setKey] = useState(keyId);
  const [operation, setOperation] = useState("");
  const keys = useLoad<readonly KeyItem[]>("keys");
  const query = new URLSearchParams({ from, to, ...(key === "" ? {} : { key }), ...(operation === "" ? {} : { operation }) });
  const { data, error } = useLoad<UsageResponse>(`usage?${query}`);
  return (
    <>
      <PageHeading>Usage</PageHeading>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Field label="From" name="from" type="date" value={from} onChange={setFrom} />
        <Field label="To" name="to" type="date" value={to} onChange={setTo} />
        <div class="field">
          <label for="key">Key</label>
          <select id="key" value={key} onChange={(event) => setKey(event.currentTarget.value)}>
            <option value="">All keys</option>
            {(keys.data ?? []).map(({ id, label }) => (
              <option key={id} value={`${id}`}>
                {id}: {label}
              </option>
            ))}
          </select>
        </div>
        <Field label="Endpoint" name="operation" value={operation} onChange={setOperation} hint="Its operation id, such as getBlock" />
        <a class="button" href={`/console/api/usage.csv?${query}`} download="usage.csv">
          Download CSV
        </a>
      </form>
      <Notice text={error} isError />
      {data === null ? null : (
        <>
          <Charts rows={data.days} from={from} to={to} />
          <UsageTable caption="By endpoint" first="Endpoint" rows={data.operations} />
          <UsageTable caption="By key" first="Key" rows={data.keys} nameOf={(row) => `${row.name}: ${row.label ?? ""}`} />
          <UsageTable caption="By day" first="Day" rows={data.days} />
        </>
      )}
      <p>
        Days are UTC. Requests, errors and durations are counted while the console is configured, and kept for 400 days; credits are always
        counted.
      </p>
    </>
  );
}
