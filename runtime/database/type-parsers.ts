import pg from "pg";
import { parseBytes, parseBytesArray, parseInt8, parseTextItems } from "./codecs.ts";

/** OIDs of PostgreSQL's pg_type catalog (src/include/catalog/pg_type.dat); they never change. */
const oid = { bytea: 17, int8: 20, date: 1082, byteaArray: 1001, int2Array: 1005, int8Array: 1016, numericArray: 1231 } as const;

/** One pool's value parsers. The driver's defaults apply to types that are not listed: numeric is text, and timestamptz is a Date. */
export function createTypeParsers(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  types.setTypeParser(oid.bytea, parseBytes);
  types.setTypeParser(oid.int8, parseInt8);
  // The driver would return midnight in the local time zone.
  types.setTypeParser(oid.date, (text) => text);
  types.setTypeParser(oid.byteaArray, parseBytesArray);
  types.setTypeParser(oid.int8Array, (text) => parseTextItems(text).map((item) => (item === null ? null : parseInt8(item))));
  types.setTypeParser(oid.int2Array, (text) => parseTextItems(text).map((item) => (item === null ? null : Number(item))));
  // The driver would return floating-point numbers.
  types.setTypeParser(oid.numericArray, parseTextItems);
  return types;
}
