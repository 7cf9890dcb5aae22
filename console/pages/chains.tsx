import { useRef } from "preact/hooks";
import type { ChainsResponse } from "../../runtime/console/responses.ts";
import { Notice, numberColumn, PageHeading, Table } from "../components.tsx";
import { formatDuration, formatNumber, formatTime } from "../format.ts";
import { useLoad } from "../use-load.ts";

const pollMilliseconds = 3_000;
const windowMilliseconds = 60_000;

export const stateTexts = {
  indexing: "indexing",
  stopped: "stopped by a failure",
  paused: "paused",
  removing: "being removed",
  restoring: "being restored",
} as const;

/** Blocks per second, measured over the last minute; null until there are two observations. */
export function useRates(): (name: string, block: number | null) => number | null {
  const observed = useRef(new Map<string, { readonly at: number; readonly block: number }[]>());
  return (name, block) => {
    if (block === null) return null;
    const now = performance.now();
    const earlier = (observed.current.get(name) ?? []).filter(({ at }) => now - at <= windowMilliseconds);
    if (now - (earlier.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= pollMilliseconds / 2) earlier.push({ at: now, block });
    observed.current.set(name, earlier);
    const [first] = earlier;
    return first === undefined || now - first.at < pollMilliseconds / 2
      ? null
      : Math.max(0, ((block - first.block) / (now - first.at)) * 1_000);
  };
}

/** Shows each chain's state and progress. */
export function ChainsPage() {
  const { data, error } = useLoad<ChainsResponse>("chains", pollMilliseconds);
  const missing = data?.unavailable ?? [];
  const rateOf = useRates();
  return (
    <>
      <PageHeading>Chains</PageHeading>
      <Notice text={error} isError />
      <Notice
        text={
          missing.length === 0
            ? null
            : `No response from ${missing.length === 1 ? "database" : "databases"} ${missing.join(", ")}: this list lacks their chains.`
        }
        isError
      />
      <Table
        caption="Indexed chains"
        head={[
          "Chain",
          "State",
          numberColumn("Block"),
          numberColumn("Behind the node"),
          numberColumn("Blocks/s"),
          "Block time",
          "Last progress",
        ]}
      >
        {(data?.chains ?? []).map((chain) => (
          <tr key={chain.name}>
            <th scope="row">
              <a href={`#/chains/${encodeURIComponent(chain.name)}`}>{chain.name}</a>
            </th>
            <td>
              <span class={`state ${chain.state}`}>{stateTexts[chain.state]}</span>
            </td>
            <td class="number">{formatNumber(chain.block)}</td>
            <td class="number">
              {chain.block === null || chain.nodeBlock === null ? "–" : formatNumber(Math.max(0, chain.nodeBlock - chain.block))}
            </td>
            <td class="number">{formatNumber(rateOf(chain.name, chain.block))}</td>
            <td class="time">{formatTime(chain.blockTime)}</td>
            <td class="nowrap">{chain.silentSeconds === null ? "–" : `${formatDuration(chain.silentSeconds)} ago`}</td>
          </tr>
        ))}
      </Table>
      {data?.chains.length === 0 && missing.length === 0 ? <p>No chain is indexed.</p> : null}
    </>
  );
}
