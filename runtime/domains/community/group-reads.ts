import type { ContractRead, Protocol } from "../../declarations/protocol.ts";
import { groupBy } from "../../lib/group-by.ts";
import { columnArguments } from "./queued-arguments.ts";

/** Groups reads that are always due together. A group is queued once for each contract, arguments and block, under the name of its first read. */
export const groupReads = ({ reads }: Pick<Protocol, "reads">): (readonly ContractRead[])[] => [...groupBy(reads, dueTimes).values()];

/** A key that is equal for reads of the same contracts at the same blocks with the same column values. */
const dueTimes = (read: ContractRead): string => {
  const { contract, contractColumn, touchedBy, everyBlocks } = read;
  const columns = columnArguments(read).map(({ column }) => column);
  return JSON.stringify([contract, contractColumn, columns, [...touchedBy].sort(), everyBlocks]);
};
