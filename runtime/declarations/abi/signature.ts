import { type AbiEvent, type AbiFunction, type AbiParameter, parseAbiItem, toEventSelector, toFunctionSelector } from "viem";
import type { EventSignature, FunctionSignature } from "../protocol.ts";

/** A parsed signature, or the problem with its text. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export interface ParsedFunction extends FunctionSignature {
  readonly inputs: readonly AbiParameter[];
  readonly outputs: readonly AbiParameter[];
}

/** Far longer than the signatures of real contracts; a limit is needed because the parser's regular expressions are not linear. */
const maxLength = 2_000;

/** Parses `Transfer(address indexed from, address indexed to, uint256 value)`. */
export function parseEvent(text: string): Parsed<EventSignature> {
  const parsed = parseItem("event", text);
  if (!parsed.ok) return parsed;
  const event = parsed.value as AbiEvent;
  return {
    ok: true,
    value: {
      text,
      name: event.name,
      topic0: toEventSelector(event),
      parameters: event.inputs.map(({ name = "", type, indexed = false }) => ({ name, type, indexed })),
    },
  };
}

/** Parses `convertToAssets(uint256 shares) view returns (uint256 assets)`. */
export function parseFunction(text: string): Parsed<ParsedFunction> {
  const parsed = parseItem("function", text);
  if (!parsed.ok) return parsed;
  const item = parsed.value as AbiFunction;
  if (item.stateMutability !== "view" && item.stateMutability !== "pure")
    return { ok: false, problem: "the function is neither view nor pure" };
  return { ok: true, value: { text, selector: toFunctionSelector(item), inputs: item.inputs, outputs: item.outputs } };
}

function parseItem(kind: "event" | "function", text: string): Parsed<unknown> {
  if (text.length > maxLength)
    return { ok: false, problem: `the signature has ${text.length} characters; at most ${maxLength} are accepted` };
  const keyword = /^\s*(event|function)\s/.exec(text)?.[1];
  if (keyword !== undefined) return { ok: false, problem: `the signature must not start with the keyword ${keyword}` };
  try {
    return { ok: true, value: parseAbiItem(`${kind} ${text}`) };
  } catch (error) {
    return { ok: false, problem: reasonOf(error) };
  }
}

// Viem appends the signature and its own version to the message.
function reasonOf(error: unknown): string {
  const { metaMessages: [reason] = [] } = error as { readonly metaMessages?: readonly string[] };
  const message = reason ?? (error instanceof Error ? error.message : String(error));
  return (message.split("\n")[0] ?? message).replace(/\. More info:.*$|\.$/, "");
}
