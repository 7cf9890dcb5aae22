import type { ContractRead } from "../../runtime/declarations/protocol.ts";
import { compileRead } from "../../runtime/domains/community/jobs/read-contracts/calls.ts";
import { readsTable, relationsOf } from "../../runtime/domains/community/relations.ts";
import type { AppendTable, Projection, Row } from "../../runtime/indexer/projection.ts";
import { assetOf, defaultValue, marketsByContract, type PlannedProtocol } from "./plan.ts";

/** The projection of a protocol with the results of its reads in place of the queue, as if a node had returned planned values at once. */
export const withReadResults = (projection: Projection, planned: PlannedProtocol): Projection => {
  const { reads } = relationsOf(planned.protocol);
  const markets = marketsByContract(planned);
  const byName = new Map(
    reads.map(({ definition, results }) => [
      definition.name,
      { table: results.table.name, ...compileRead(definition), valuesOf: valuesOf(planned, definition) },
    ]),
  );
  const tables = reads.map(({ results: { table } }): AppendTable => ({ kind: "append", name: table.name, columns: table.columns }));
  return {
    ...projection,
    tables: [...projection.tables.filter(({ name }) => name !== readsTable.name), ...tables],
    fold: (blocks, input) => {
      const { [readsTable.name]: queued = [], ...rows } = projection.fold(blocks, input);
      const results: Record<string, Row[]> = Object.fromEntries(tables.map(({ name }) => [name, []]));
      for (const { read_name, contract = null, block_number, arguments: queuedArguments } of queued) {
        const read = byName.get(String(read_name));
        const step = Number(block_number);
        for (const call of read?.callsOf(String(queuedArguments)) ?? []) {
          results[read?.table ?? ""]?.push({
            contract,
            block_number: step,
            ...call.arguments,
            ...read?.valuesOf(markets.get(String(contract)) ?? 0, step),
          });
        }
      }
      return { ...rows, ...results };
    },
  };
};

/** The results of a read in a market at a block. */
const valuesOf =
  ({ plan }: PlannedProtocol, { name, columns }: ContractRead) =>
  (market: number, step: number): Row =>
    Object.fromEntries(
      columns.map((column) => {
        const own = plan.results?.[`${name}.${column.name}`] ?? plan.results?.[column.name];
        const type = column.type === "bytes" ? "bytes32" : column.type;
        return [column.name, (own?.({ market, step }) ?? defaultValue(type, assetOf(market), 10n ** 24n + BigInt(step))) as Row[string]];
      }),
    );
