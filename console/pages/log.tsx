import { useState } from "preact/hooks";
import type { LogItem } from "../../runtime/console/responses.ts";
import { Notice, PageHeading, Table } from "../components.tsx";
import { formatTime } from "../format.ts";
import { useLoad } from "../use-load.ts";

const pageSize = 100;

/** Operator actions, newest first. */
export function LogPage() {
  const [before, setBefore] = useState<number | null>(null);
  const { data, error } = useLoad<readonly LogItem[]>(before === null ? "log" : `log?before=${before}`);
  const last = data?.at(-1);
  return (
    <>
      <PageHeading>Log</PageHeading>
      <p>Every action that an operator took on the command line or in this console. Entries are never changed or deleted.</p>
      <Notice text={error} isError />
      <Table caption="Actions" head={["Time", "Actor", "Action", "Subject", "Details"]}>
        {(data ?? []).map((item) => (
          <tr key={item.id}>
            <td class="time">{formatTime(item.time)}</td>
            <td>{item.actor}</td>
            <td class="nowrap">{item.action}</td>
            <td>{item.subject}</td>
            <td class="details">{Object.keys(item.details).length === 0 ? "" : JSON.stringify(item.details)}</td>
          </tr>
        ))}
      </Table>
      {data?.length === 0 ? <p>{before === null ? "No actions are recorded." : "No older actions are recorded."}</p> : null}
      <p class="buttons">
        {before === null ? null : (
          <button type="button" onClick={() => setBefore(null)}>
            Newest
          </button>
        )}
        {last !== undefined && data?.length === pageSize ? (
          <button type="button" onClick={() => setBefore(last.id)}>
            Older
          </button>
        ) : null}
      </p>
    </>
  );
}
