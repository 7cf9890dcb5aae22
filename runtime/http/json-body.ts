import { isTurnOver, nextTurn } from "../lib/turns.ts";
import { successBody } from "./envelope.ts";

/** A value of this size is serialized at once, in about a millisecond. */
const maxSize = 256;
/** Texts count as one per so many characters. */
const charactersPerUnit = 1024;
/** The text that is encoded at once. */
const chunkCharacters = 64 * 1024;

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null && !("toJSON" in value);

/** The number of array elements in a value and of kibibytes in its texts; counting stops above a bound. */
function sizeOf(value: unknown, bound: number): number {
  if (typeof value === "string") return Math.floor(value.length / charactersPerUnit);
  if (!isContainer(value)) return 0;
  let size = Array.isArray(value) ? value.length : 0;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (size > bound) return size;
    size += sizeOf(member, bound - size);
  }
  return size;
}

/** The JSON text of a value in pieces of bounded size; together they are what `JSON.stringify` returns. */
function* piecesOf(value: unknown): Generator<string> {
  if (!isContainer(value) || sizeOf(value, maxSize) <= maxSize) {
    // Undefined is null in an array; members without a value are omitted below.
    yield JSON.stringify(value) ?? "null";
    return;
  }
  let separator = "";
  if (Array.isArray(value)) {
    yield "[";
    for (const element of value) {
      if (separator !== "") yield separator;
      yield* piecesOf(element);
      separator = ",";
    }
    yield "]";
    return;
  }
  yield "{";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* piecesOf(member);
    separator = ",";
  }
  yield "}";
}

/** Joins buffers in turns. */
async function join(chunks: readonly Buffer[], bytes: number): Promise<Buffer> {
  const joined = Buffer.allocUnsafe(bytes);
  let end = 0;
  for (const chunk of chunks) {
    end += chunk.copy(joined, end);
    if (isTurnOver()) await nextTurn();
  }
  return joined;
}

/**
 * The body of a successful response as JSON; a large one is serialized in turns with other requests (see lib/turns.ts). The result is longer than `maxBytes` if
 * the whole body is, but may then be incomplete.
 */
export async function jsonBody(data: unknown, maxBytes: number): Promise<Buffer> {
  if (sizeOf(data, maxSize) <= maxSize) return Buffer.from(successBody(data));
  const chunks: Buffer[] = [];
  let [text, bytes] = ["", 0];
  const flush = (): void => {
    const chunk = Buffer.from(text);
    chunks.push(chunk);
    bytes += chunk.length;
    text = "";
  };
  for (const piece of piecesOf({ data, error: false, error_message: null, error_code: null })) {
    text += piece;
    if (text.length < chunkCharacters) continue;
    flush();
    if (bytes > maxBytes) break;
    if (isTurnOver()) await nextTurn();
  }
  flush();
  return join(chunks, bytes);
}
