import { hashMessage, recoverAddress } from "viem";
import type { Address, Hash, Hex } from "../../lib/hex.ts";
import { memoizeText } from "../../lib/memoize-text.ts";

/**
 * How a Safe checks a signature: by recovering the signer from the hash or from its EIP-191 message, by calling a contract (EIP-1271), or by an earlier
 * approval.
 */
export type SignatureType = "ecdsa" | "eth_sign" | "contract" | "approved_hash";

/** A signature that a Safe received. */
export interface SafeSignature {
  readonly type: SignatureType;
  /** The 65 bytes, or the bytes that the contract checked; null if they exceed the data. */
  readonly signature: Hex | null;
  /** The account that a contract signature or an approved hash names; null if it has to be recovered. */
  readonly account: Address | null;
}

/** Hex digits of one signature, {r, s, v}, and of a word. */
const digitsPerSignature = 130;
const wordDigits = 64;

/**
 * The signatures of a Safe execution: 65 bytes for each, then the data of contract signatures, whose offsets are in `s`. The 65-byte parts end at the first of
 * these offsets or at the end of the data. Several signatures may refer to the same data, so their total length is limited to the data's length, which
 * keeps the cost linear.
 */
export function splitSignatures(signatures: Hex): SafeSignature[] {
  const text = signatures.slice(2);
  const result: SafeSignature[] = [];
  let [end, remaining] = [text.length, text.length];
  for (let start = 0; start + digitsPerSignature <= end; start += digitsPerSignature) {
    const part = text.slice(start, start + digitsPerSignature);
    const type = typeOf(Number.parseInt(part.slice(2 * wordDigits), 16));
    if (type === "contract") {
      const offset = 2 * smallNumber(part.slice(wordDigits, 2 * wordDigits));
      const signature = contractSignature(text, offset, remaining);
      if (offset >= start + digitsPerSignature) end = Math.min(end, offset);
      remaining -= signature?.length ?? 0;
      result.push({ type, signature, account: accountIn(part) });
    } else result.push({ type, signature: `0x${part}`, account: type === "approved_hash" ? accountIn(part) : null });
  }
  return result;
}

const typeOf = (v: number): SignatureType => (v === 0 ? "contract" : v === 1 ? "approved_hash" : v > 30 ? "eth_sign" : "ecdsa");

/** The account in the lower 20 bytes of `r`, the only ones that Safes read. */
const accountIn = (part: string): Address => `0x${part.slice(24, wordDigits)}`;

/** A word as a number, infinite if it is too large for an offset or a length. */
const smallNumber = (word: string): number => (/^0{56}/.test(word) ? Number.parseInt(word.slice(56), 16) : Number.POSITIVE_INFINITY);

/** The length-prefixed bytes at an offset in hex digits; null if they exceed the data or `maxDigits`. */
const contractSignature = (text: string, offset: number, maxDigits: number): Hex | null => {
  const start = offset + wordDigits;
  if (start > text.length) return null;
  const end = start + 2 * smallNumber(text.slice(offset, start));
  return end > text.length || end - start > maxDigits ? null : `0x${text.slice(start, end)}`;
};

/** Max signatures whose signers are cached. */
const maxCached = 20_000;

const recoverCached = memoizeText((text: string): Promise<Address | null> => {
  const [hash, r, s, v] = text.split(":") as [Hash, Hex, Hex, string];
  return recoverAddress({ hash, signature: { r, s, v: BigInt(v) } }).then(
    (address) => address.toLowerCase() as Address,
    () => null,
  );
}, maxCached);

/** The account whose key made a signature, as the EVM's ecrecover returns it; null if there is none. */
export async function recoverSigner(txHash: Hash, { type, signature }: Pick<SafeSignature, "type" | "signature">): Promise<Address | null> {
  if (signature === null || (type !== "ecdsa" && type !== "eth_sign")) return null;
  const [r, s] = [signature.slice(2, 66), signature.slice(66, 130)];
  const v = Number.parseInt(signature.slice(130), 16) - (type === "eth_sign" ? 4 : 0);
  if (v !== 27 && v !== 28) return null;
  const hash = type === "eth_sign" ? hashMessage({ raw: txHash }) : txHash;
  return recoverCached(`${hash}:0x${r}:0x${s}:${v}`);
}
