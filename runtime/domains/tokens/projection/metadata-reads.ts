import type { CallOutcome } from "../../../chain/source.ts";
import type { NodeRead } from "../../../jobs/node-reads.ts";
import type { Hex } from "../../../lib/hex.ts";

export const tokenMetadataKind = "token-metadata";
export const tokenMetadataRefreshKind = "token-metadata-refresh";

/** name(), symbol() and decimals() of EIP-20; collections implement the first two (EIP-721). */
const selectors = ["0x06fdde03", "0x95d89b41", "0x313ce567"] as const;

/** Max characters in a name or symbol. */
const maxTextLength = 200;

/** The metadata that a token contract returns; a field is null if its result is unusable. */
export const tokenMetadataRead: NodeRead = {
  kind: tokenMetadataKind,
  calls: (address) => selectors.map((data) => ({ to: address, data })),
  table: {
    kind: "latest",
    name: "token_metadata",
    key: ["address"],
    periodTable: null,
    columns: { address: "bytea", block_number: "int8", name: "text", symbol: "text", decimals: "int2", read_at_block: "int8" },
  },
  toRow: ({ key, blockNumber, readAtBlock }, [name, symbol, decimals]) => ({
    address: key,
    block_number: blockNumber,
    name: readText(name),
    symbol: readText(symbol),
    decimals: readDecimals(decimals),
    read_at_block: readAtBlock,
  }),
};

/** Rereads stored metadata, which is served until the new values are read. */
export const tokenMetadataRefresh: NodeRead = { ...tokenMetadataRead, kind: tokenMetadataRefreshKind, isRefresh: true };

/** A string, or the bytes32 of tokens that predate the final EIP-20, sanitized. */
const readText = (outcome: CallOutcome | undefined): string | null => {
  if (outcome === undefined || !outcome.ok) return null;
  const body = Buffer.from(outcome.data.slice(2, 2 + 2 * 65_536), "hex");
  const bytes = body.length === 32 ? untilZero(body) : stringOf(body);
  return bytes === null ? null : clean(bytes);
};

const untilZero = (word: Buffer): Buffer => {
  const end = word.indexOf(0);
  return end < 0 ? word : word.subarray(0, end);
};

const stringOf = (body: Buffer): Buffer | null => {
  if (body.length < 64) return null;
  const offset = readSmallNumber(body, 0);
  if (offset === null || offset + 32 > body.length) return null;
  const length = readSmallNumber(body, offset);
  if (length === null) return null;
  const start = offset + 32;
  // A string longer than the data is invalid, unless the data was truncated above.
  if (start + length > body.length && body.length < 65_536) return null;
  return body.subarray(start, start + length);
};

const readSmallNumber = (body: Buffer, at: number): number | null => {
  for (let byte = at; byte < at + 28; byte += 1) if (body[byte] !== 0) return null;
  return body.readUInt32BE(at + 28);
};

/** Removes characters that a terminal, page or table could interpret (control characters, direction marks), removes invalid UTF-8, and truncates the text. */
const clean = (bytes: Buffer): string | null => {
  const text = bytes
    .toString("utf8")
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD]/gu, "")
    .trim();
  return text === "" ? null : [...text].slice(0, maxTextLength).join("");
};

/** A uint8 in one word; null for any other data. */
const readDecimals = (outcome: CallOutcome | undefined): number | null => {
  if (outcome === undefined || !outcome.ok || outcome.data.length !== 66) return null;
  const value = BigInt(outcome.data as Hex);
  return value <= 255n ? Number(value) : null;
};
