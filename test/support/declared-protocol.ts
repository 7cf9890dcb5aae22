import { type AbiEvent, type AbiFunction, parseAbiItem, toEventSelector, toFunctionSelector } from "viem";
import type {
  ColumnType,
  ContractRead,
  DeclaredContract,
  DeployedContract,
  Discovery,
  EventSignature,
  EventTable,
  Protocol,
} from "../../runtime/declarations/protocol.ts";

/** An event's signature, as the declaration check returns it. */
export const eventOf = (text: string): EventSignature => {
  const item = parseAbiItem(`event ${text}`) as AbiEvent;
  const parameters = item.inputs.map(({ name = "", type, indexed = false }) => ({ name, type, indexed }));
  return { text, name: item.name, topic0: toEventSelector(item), parameters };
};

const columnType = (type: string, indexed: boolean): ColumnType => {
  const isArray = type.endsWith("]");
  if (indexed && (isArray || type === "string")) return "bytes";
  const item = type.replace(/\[\d*\]$/, "");
  const base = item.startsWith("uint") ? "uint256" : item.startsWith("int") ? "int256" : item.startsWith("bytes") ? "bytes" : item;
  return `${base === "string" ? "text" : base}${isArray ? "[]" : ""}` as ColumnType;
};

/** An event table, with a column for each parameter. */
export const tableOf = (
  name: string,
  contract: string,
  signatures: readonly string[],
  options: Partial<Pick<EventTable, "indexes" | "latestBy">> = {},
): EventTable => {
  const events = signatures.map(eventOf);
  const parameters = new Map(events.flatMap((event) => event.parameters.map((parameter) => [parameter.name, parameter] as const)));
  const columns = [...parameters.values()].map(({ name: parameter, type, indexed }) => ({
    name: parameter.toLowerCase(),
    parameter,
    type: columnType(type, indexed),
  }));
  return { name, contract, events, columns, indexes: [], latestBy: null, ...options };
};

export const contractOf = (
  networks: Readonly<Record<string, readonly DeployedContract[]>> = {},
  discoveries: readonly { readonly contract: string; readonly event: string; readonly parameter: string }[] = [],
): DeclaredContract => ({
  networks,
  listedBy: [],
  discoveredBy: discoveries.map(({ contract, event, parameter }): Discovery => ({ contract, event: eventOf(event), parameter })),
});

/** A contract read, with a column for each result. */
export const readOf = (
  name: string,
  contract: string,
  text: string,
  options: Partial<Pick<ContractRead, "arguments" | "touchedBy" | "contractColumn" | "everyBlocks" | "latest">> = {},
): ContractRead => {
  const item = parseAbiItem(`function ${text}`) as AbiFunction;
  const columns = item.outputs.map(({ name: output = "value", type }) => ({ name: output, type: columnType(type, false) }));
  return {
    name,
    contract,
    function: { text, selector: toFunctionSelector(item) },
    arguments: [],
    columns,
    touchedBy: [],
    contractColumn: null,
    everyBlocks: null,
    latest: false,
    ...options,
  };
};

/** A declared protocol. */
export const protocolOf = (parts: Partial<Protocol> & Pick<Protocol, "id" | "contracts">): Protocol => ({
  name: parts.id,
  description: "A protocol for tests.",
  chainKind: "evm",
  version: 1,
  tables: [],
  reads: [],
  operations: {},
  lending: null,
  ...parts,
});
