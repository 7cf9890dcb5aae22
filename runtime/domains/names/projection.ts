import type { DecodedBlock, DecodedEvent, NameEvent } from "../../events/decoded-block.ts";
import {
  nameAddrChanged,
  nameAddressChanged,
  nameNameChanged,
  nameNewOwner,
  nameNewResolver,
  nameTransfer,
  nameVersionChanged,
} from "../../events/names.ts";
import { defineProjection, type Row } from "../../indexer/projection.ts";
import type { Hex } from "../../lib/hex.ts";

/** A node's record kinds, numbered as in the table: the first two are from a registry, the others from a resolver. */
export const nameRecordKinds = { owner: 0, resolver: 1, address: 2, name: 3 } as const;

/** A record kind. */
export type NameRecordKind = (typeof nameRecordKinds)[keyof typeof nameRecordKinds];

const key = ["contract", "node", "record"] as const;
const columns = { contract: "bytea", node: "bytea", record: "int2", block_number: "int8", value: "bytea" } as const;

/** The name records that registries and resolvers emit for each node (EIP-137, EIP-181, EIP-2304). Only the last value of a record in each block is stored. */
export const namesProjection = defineProjection({
  id: "names",
  version: 1,
  events: [nameNewOwner, nameTransfer, nameNewResolver, nameAddrChanged, nameAddressChanged, nameNameChanged, nameVersionChanged],
  tables: [{ kind: "append", name: "name_records", columns }],
  loads: {},
  keysToLoad: () => ({}),
  fold: (blocks) => ({ name_records: blocks.flatMap((decoded) => lastPerKey(rowsOf(decoded))) }),
});

const rowsOf = ({ block, events }: DecodedBlock): Row[] =>
  events.filter(isNameEvent).flatMap((event) =>
    recordsOf(event).map(({ record, value }) => ({
      contract: event.address,
      node: event.node,
      record,
      block_number: block.number,
      value,
    })),
  );

const isNameEvent = (event: DecodedEvent): event is NameEvent => "node" in event;

const recordsOf = (event: NameEvent): { readonly record: NameRecordKind; readonly value: Hex | null }[] => {
  switch (event.kind) {
    case "nameOwner":
      return [{ record: nameRecordKinds.owner, value: event.owner }];
    case "nameResolver":
      return [{ record: nameRecordKinds.resolver, value: event.resolver }];
    case "nameAddress":
      return [{ record: nameRecordKinds.address, value: event.account }];
    case "nameText":
      return [{ record: nameRecordKinds.name, value: event.name === null ? null : `0x${Buffer.from(event.name, "utf8").toString("hex")}` }];
    case "nameCleared":
      return [
        { record: nameRecordKinds.address, value: null },
        { record: nameRecordKinds.name, value: null },
      ];
  }
};

const lastPerKey = (rows: readonly Row[]): Row[] => [
  ...new Map(rows.map((row) => [key.map((column) => row[column]).join("|"), row])).values(),
];
