import type { AbiValue } from "../../declarations/abi/decode-abi.ts";
import type { ColumnType } from "../../declarations/protocol.ts";
import type { Row } from "../../indexer/projection.ts";

/** A decoded value as the value of a column; null where there is none. PostgreSQL's text has no NUL. */
export const toCell = (value: AbiValue | undefined, type: ColumnType): Row[string] => {
  if (value === undefined) return null;
  return type === "text" && typeof value === "string" ? value.replaceAll("\0", "") : (value as Row[string]);
};
