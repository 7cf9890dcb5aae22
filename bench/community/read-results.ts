import type { ContractRead } from "../../runtime/declarations/protocol.ts";
import { type DeclaredRead, declaredReads } from "../../runtime/domains/community/jobs/read-contracts/declared-reads.ts";
import { readsTable } from "../../runtime/domains/community/relations.ts";
import type { AppendTable, Projection, Row } from "../../runtime/indexer/projection.ts";
import { groupBy } from "../../runtime/lib/group-by.ts";
import { assetOf, defaultValue, marketsByContract, type PlannedProtocol, type ReadDraw } from "./plan.ts";

/** Replaces the queue of a protocol's projection with the results of its reads, as if a node had returned the planned values immediately. */
export const withReadResults = (projection: Projection, planned: PlannedProtocol): Projection => {
  const reads = declaredReads([planned.protocol]).map((read) => ({
    ...read,
    columns: valuesOf(planned, read.definition),
    argumentsOf: argumentsOf(read),
  }));
  const groups = groupBy(reads, ({ group }) => group);
  const markets = marketsByContract(planned);
  const tables = reads.map(({ table }): AppendTable => ({ kind: "append", name: table.name, columns: table.columns }));
  return {
    ...projection,
    tables: [...projection.tables.filter(({ name }) => name !== readsTable.name), ...tables],
    fold: (blocks, input) => {
      const { [readsTable.name]: queued = [], ...rows } = projection.fold(blocks, input);
      const results: Record<string, Row[]> = Object.fromEntries(tables.map(({ name }) => [name, []]));
      for (const { read_name, contract = null, block_number, arguments: values } of queued) {
        const step = Number(block_number);
        // A call of a shared contract has an argument that is a market's contract, or starts with its address.
        const market = markets.get(String(values).slice(0, 42)) ?? markets.get(String(contract)) ?? 0;
        for (const { table, argumentsOf, columns } of groups.get(String(read_name)) ?? []) {
          for (const callArguments of argumentsOf(String(values)))
            results[table.name]?.push({
              contract,
              block_number: step,
              ...callArguments,
              ...columns({ market, step, arguments: callArguments }),
            });
        }
      }
      return { ...rows, ...results };
    },
  };
};

/** Creates a function that returns the arguments of a queued read's calls, cached because many blocks queue the same read and encoding is slow. */
const argumentsOf = ({ callsOf }: Pick<DeclaredRead, "callsOf">): ((queued: string) => readonly Row[]) => {
  const cache = new Map<string, readonly Row[]>();
  return (queued) => {
    const callArguments = cache.get(queued) ?? callsOf(queued).map((call) => call.arguments);
    cache.set(queued, callArguments);
    return callArguments;
  };
};

/** Creates a function that returns a read's results in a market at a block. */
const valuesOf =
  ({ plan, contractOf }: PlannedProtocol, { name, columns }: ContractRead) =>
  (draw: Omit<ReadDraw, "contractOf">): Row =>
    Object.fromEntries(
      columns.map((column) => {
        const generate = plan.results?.[`${name}.${column.name}`] ?? plan.results?.[column.name];
        const type = column.type === "bytes" ? "bytes32" : column.type;
        const { market, step } = draw;
        const value =
          generate === undefined
            ? defaultValue(type, assetOf(market), 10n ** 24n + BigInt(step))
            : generate({ ...draw, contractOf: (kind) => contractOf(kind, market) });
        return [column.name, value as Row[string]];
      }),
    );
