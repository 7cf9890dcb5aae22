import { useState } from "preact/hooks";
import type { ChainDetails } from "../../runtime/console/responses.ts";
import { post } from "../api.ts";
import { Dialog, Field, Notice, numberColumn, PageHeading, Table, useAction } from "../components.tsx";
import { formatBytes, formatDuration, formatNumber, formatTime } from "../format.ts";
import { useLoad } from "../use-load.ts";
import { stateTexts, useRates } from "./chains.tsx";

const pollMilliseconds = 3_000;
const auditSample = 100;

function Facts({ chain, rate }: { readonly chain: ChainDetails; readonly rate: number | null }) {
  const { disk, lastAudit } = chain;
  const density = disk === null || disk.transactions === 0 ? null : (disk.bytes / disk.transactions) * 1e6;
  const facts: readonly (readonly [string, string])[] = [
    ["State", `${stateTexts[chain.state]}${chain.since === null ? "" : ` since ${formatTime(chain.since)}`}`],
    ["Block", chain.block === null ? "none" : `${formatNumber(chain.block)} of ${formatTime(chain.blockTime)}`],
    [
      "Behind the node",
      chain.block === null || chain.nodeBlock === null ? "–" : `${formatNumber(Math.max(0, chain.nodeBlock - chain.block))} blocks`,
    ],
    ["Blocks per second", formatNumber(rate)],
    ["Last progress", chain.silentSeconds === null ? "–" : `${formatDuration(chain.silentSeconds)} ago`],
    ["Rows", disk === null ? "unknown until the next ANALYZE" : `about ${formatNumber(disk.rows)}`],
    [
      "Disk",
      disk === null
        ? "unknown until the next ANALYZE"
        : `about ${formatBytes(disk.bytes)}${density === null ? "" : `, ${formatBytes(density)} per million transactions`}`,
    ],
    ["Node", chain.node === null ? "not checked yet" : chain.node.join(", ") || "no optional features"],
    ["Missing", chain.missing.join(", ") || "nothing"],
    [
      "Last audit",
      lastAudit === null
        ? "none"
        : `${formatTime(lastAudit.time)}, block ${lastAudit.block}: ${formatNumber(lastAudit.compared)} values, ${lastAudit.differences} differences`,
    ],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Confirms a removal: the operator must type the chain's name. */
function RemovalDialog({
  name,
  onClose,
  onConfirm,
}: {
  readonly name: string;
  readonly onClose: () => void;
  readonly onConfirm: (typed: string) => void;
}) {
  const [typed, setTyped] = useState("");
  return (
    <Dialog title={`Remove ${name}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm(typed);
        }}
      >
        <p>
          All rows of the chain are deleted, including its prices and metadata. Pause it first. If it remains configured, it is indexed
          again.
        </p>
        <Field label="The chain's name" name="confirmation" value={typed} onChange={setTyped} required />
        <p class="buttons">
          <button type="submit" class="danger" disabled={typed !== name}>
            Remove the chain
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}

/** Shows a chain's details, and the actions on it. */
export function ChainPage({ name }: { readonly name: string }) {
  const path = `chains/${encodeURIComponent(name)}`;
  const { data, error, reload } = useLoad<ChainDetails>(path, pollMilliseconds);
  const rateOf = useRates();
  const action = useAction();
  const [isRemoving, setIsRemoving] = useState(false);
  const run = (verb: string, body: unknown = {}): Promise<void> =>
    action.run(async () => {
      const { message } = await post(`${path}/${verb}`, body);
      reload();
      return message;
    });
  const task = data?.task ?? null;
  const isBusy = action.isRunning || task?.result === null;
  return (
    <>
      <PageHeading>{name}</PageHeading>
      <p>
        <a href="#/chains">All chains</a>
      </p>
      <Notice text={error} isError />
      <Notice text={action.text} isError={action.isError} />
      {task === null ? null : (
        <p class={`notice${task.hasFailed ? " error" : ""}`} role="status">
          {task.kind === "audit" ? "Audit" : "Removal"}, started {formatTime(task.startedAt)}: {task.result ?? "running…"}
        </p>
      )}
      {data === null ? null : (
        <>
          <p class="buttons">
            {data.state === "paused" ? (
              <button type="button" disabled={isBusy} onClick={() => void run("resume")}>
                Resume indexing
              </button>
            ) : (
              <button
                type="button"
                disabled={isBusy || data.state === "removing" || data.state === "restoring"}
                onClick={() => void run("pause")}
              >
                Pause indexing
              </button>
            )}
            <button type="button" disabled={isBusy} onClick={() => void run("audit", { sample: auditSample })}>
              Audit {auditSample} values of each kind
            </button>
            <button
              type="button"
              disabled={isBusy}
              onClick={() => void run("retry-jobs", { queues: data.queues.map((queue) => queue.name) })}
            >
              Retry failed jobs
            </button>
            <button type="button" disabled={isBusy} onClick={() => void run("refresh-metadata", { contract: null })}>
              Refresh metadata
            </button>
            <button type="button" class="danger" disabled={isBusy} onClick={() => setIsRemoving(true)}>
              Remove…
            </button>
          </p>
          <Facts chain={data} rate={rateOf(name, data.block)} />
          <h2>Projections</h2>
          <Table caption="Projections" head={["Projection", numberColumn("Block"), "State"]}>
            {data.projections.map((projection) => (
              <tr key={projection.name}>
                <th scope="row">{projection.name}</th>
                <td class="number">{formatNumber(projection.block)}</td>
                <td>
                  {projection.state}
                  {projection.state === "rebuilding" && data.block !== null && data.block > 0
                    ? ` (${Math.floor((projection.block / data.block) * 100)} %)`
                    : ""}
                  {projection.reason === null ? "" : `: ${projection.reason}`}
                </td>
              </tr>
            ))}
          </Table>
          <h2>Jobs</h2>
          <Table caption="Job queues" head={["Queue", ...["Entries", "Attempted before", "Oldest due for"].map(numberColumn)]}>
            {data.queues.map((queue) => (
              <tr key={queue.name}>
                <th scope="row">{queue.name}</th>
                <td class="number">{formatNumber(queue.entries)}</td>
                <td class="number">{formatNumber(queue.attempted)}</td>
                <td class="number">{formatDuration(queue.overdueSeconds)}</td>
              </tr>
            ))}
          </Table>
        </>
      )}
      {isRemoving ? (
        <RemovalDialog
          name={name}
          onClose={() => setIsRemoving(false)}
          onConfirm={(typed) => {
            setIsRemoving(false);
            void run("remove", { name: typed });
          }}
        />
      ) : null}
    </>
  );
}
