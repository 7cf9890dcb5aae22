import type { ContractRead } from "../../runtime/declarations/protocol.ts";
import { declaredReads } from "../../runtime/domains/community/jobs/read-contracts/declared-reads.ts";
import { readsTable } from "../../runtime/domains/community/relations.ts";
import type { AppendTable, Projection, Row } from "../../runtime/indexer/projection.ts";
import { groupBy } from "../../runtime/lib/group-by.ts";
import { assetOf, defaultValue, marketsByContract, type PlannedProtocol } from "./plan.ts";

/** The projection of a protocol with the results of its reads in place of the queue, as if a node had returned planned values at once. */
export const withReadResults = (projection: Projection, planned: PlannedProtocol): Projection => {
  const reads = declaredReads([planned.protocol]).map((read) => ({ ...read, columns: valuesOf(planned, read.definition) }));
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
        const market = markets.get(String(contract)) ?? 0;
        for (const { table, callsOf, columns } of groups.get(String(read_name)) ?? []) {
          for (const call of callsOf(String(values)))
            results[table.name]?.push({ contract, block_number: step, ...call.arguments, ...columns(market, step) });
        }
      }
      return { ...rows, ...results };
    },
  };
};

/** The results of a read in a market at a block. */
const valuesOf =
  ({ plan, contractOf }: PlannedProtocol, { name, columns }: ContractRead) =>
  (market: number, step: number): Row =>
    Object.fromEntries(
      columns.map((column) => {
        const own = plan.results?.[`${name}.${column.name}`] ?? plan.results?.[column.name];
        const type = column.type === "bytes" ? "bytes32" : column.type;
        return [
          column.name,
          (own?.({ market, step, contractOf: (kind) => contractOf(kind, market) }) ??
            defaultValue(type, assetOf(market), 10n ** 24n + BigInt(step))) as Row[string],
        ];
      }),
    );
