import type { AbiValue } from "../../declarations/abi/decode-abi.ts";
import type { ColumnType } from "../../declarations/protocol.ts";
import type { Row } from "../../indexer/projection.ts";

/** The column value for a decoded value; null if there is none. NUL is removed, because PostgreSQL's text cannot contain it. */
export const toCell = (value: AbiValue | undefined, type: ColumnType): Row[string] => {
  if (value === undefined) return null;
  return type === "text" && typeof value === "string" ? value.replaceAll("\0", "") : (value as Row[string]);
};
