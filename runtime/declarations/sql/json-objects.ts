import type { Fields } from "./parser.ts";

/** A call to `json_build_object`, with its byte offset and its keys; `keys` is null if one of them is not a text constant. */
export interface JsonObject {
  readonly byteOffset: number;
  readonly keys: readonly { readonly name: string; readonly byteOffset: number }[] | null;
}

/** The JSON objects that a statement builds from keys and values. */
export function findJsonObjects(node: unknown): JsonObject[] {
  if (typeof node !== "object" || node === null) return [];
  const inner = Object.values(node).flatMap(findJsonObjects);
  const call = (node as { readonly FuncCall?: Fields }).FuncCall;
  const name = (call?.funcname as readonly { readonly String?: { readonly sval?: string } }[] | undefined)?.at(-1)?.String?.sval;
  if (call === undefined || (name !== "json_build_object" && name !== "jsonb_build_object")) return inner;
  const { args = [], location = 0 } = call as { readonly args?: readonly Fields[]; readonly location?: number };
  const keys = args.filter((_, position) => position % 2 === 0).flatMap((key) => keyOf(key) ?? []);
  return [{ byteOffset: location, keys: 2 * keys.length === args.length ? keys : null }, ...inner];
}

function keyOf({ A_Const: constant }: Fields): { readonly name: string; readonly byteOffset: number } | null {
  const { sval, location = 0 } = (constant ?? {}) as { readonly sval?: { readonly sval?: string }; readonly location?: number };
  return sval === undefined ? null : { name: sval.sval ?? "", byteOffset: location };
}
