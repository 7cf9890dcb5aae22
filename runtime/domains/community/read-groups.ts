import type { ContractRead, Protocol } from "../../declarations/protocol.ts";
import { groupBy } from "../../lib/group-by.ts";
import { columnArguments } from "./queued-arguments.ts";

/** Reads always due together. They are queued once for each contract, arguments and block, under the name of the first one. */
export const readGroups = ({ reads }: Pick<Protocol, "reads">): (readonly ContractRead[])[] => [...groupBy(reads, dueTimes).values()];

/** Equal for reads of the same contracts at the same blocks with the same column values. */
const dueTimes = (read: ContractRead): string => {
  const { contract, contractColumn, touchedBy, everyBlocks } = read;
  const columns = columnArguments(read).map(({ column }) => column);
  return JSON.stringify([contract, contractColumn, columns, [...touchedBy].sort(), everyBlocks]);
};
