import { isTurnOver, nextTurn } from "../lib/turns.ts";
import { successBody } from "./envelope.ts";

/** Max size of a value serialized in one call, which takes about a millisecond. */
const maxSize = 256;
/** How many text characters count as one unit of size. */
const charactersPerUnit = 1024;
/** Characters per encoded chunk. */
const chunkCharacters = 64 * 1024;

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null && !("toJSON" in value);

/** The number of array elements in a value plus the units of `charactersPerUnit` in its texts; counting stops above a bound. */
function sizeOf(value: unknown, bound: number): number {
  if (typeof value === "string") return value.length < charactersPerUnit ? 0 : Math.floor(value.length / charactersPerUnit);
  if (!isContainer(value)) return 0;
  if (!Array.isArray(value)) return sizeOfMembers(value, bound);
  let size = value.length;
  for (let index = 0; index < value.length && size <= bound; index += 1) size += sizeOf(value[index], bound - size);
  return size;
}

/** The size of an object's members. Avoids allocating a list of them, because responses consist mostly of small objects. */
function sizeOfMembers(value: object, bound: number): number {
  let size = 0;
  for (const name in value) {
    if (size > bound) return size;
    size += sizeOf((value as Readonly<Record<string, unknown>>)[name], bound - size);
  }
  return size;
}

const isLarge = (value: unknown): value is object => isContainer(value) && sizeOf(value, maxSize) > maxSize;

/** A large container's JSON text in pieces of bounded size; joined, they equal the result of `JSON.stringify`. */
function* piecesOf(value: object): Generator<string> {
  const isArray = Array.isArray(value);
  let prefix = isArray ? "[" : "{";
  const members: Iterable<readonly [number | string, unknown]> = isArray ? value.entries() : Object.entries(value);
  for (const [name, member] of members) {
    // Object members without a value are omitted.
    if (member === undefined && !isArray) continue;
    const start = isArray ? prefix : `${prefix}${JSON.stringify(name)}:`;
    if (isLarge(member)) {
      yield start;
      yield* piecesOf(member);
    } else {
      // In an array, undefined is serialized as null.
      yield start + (JSON.stringify(member) ?? "null");
    }
    prefix = ",";
  }
  yield isArray ? "]" : "}";
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
 * The body of a successful response as JSON; a large one is a promise, and is serialized in turns with other requests (see lib/turns.ts). The result is longer
 * than `maxBytes` if the complete body is, but may then be truncated.
 */
export function jsonBody(data: unknown, maxBytes: number): Buffer | Promise<Buffer> {
  return isLarge(data) ? largeBody(data, maxBytes) : Buffer.from(successBody(data));
}

async function largeBody(data: object, maxBytes: number): Promise<Buffer> {
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
