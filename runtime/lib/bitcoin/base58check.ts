import { createHash } from "node:crypto";

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
const checksumLength = 4;

const sha256 = (data: Uint8Array): Buffer => createHash("sha256").update(data).digest();
const checksum = (data: Uint8Array): Buffer => sha256(sha256(data)).subarray(0, checksumLength);

/** Encodes bytes with a checksum in base 58; each leading zero byte is a leading `1`. */
export function encodeBase58Check(payload: Uint8Array): string {
  const data = Buffer.concat([payload, checksum(payload)]);
  const zeros = leading(data, 0);
  let digits = "";
  for (let rest = zeros === data.length ? 0n : BigInt(`0x${data.toString("hex")}`); rest > 0n; rest /= 58n) {
    digits = `${alphabet[Number(rest % 58n)]}${digits}`;
  }
  return `${"1".repeat(zeros)}${digits}`;
}

/** Decodes text of at most `maxLength` characters; null if a character or the checksum is invalid. */
export function decodeBase58Check(text: string, maxLength: number): Buffer | null {
  if (text.length > maxLength) return null;
  let value = 0n;
  for (const character of text) {
    const digit = alphabet.indexOf(character);
    if (digit < 0) return null;
    value = value * 58n + BigInt(digit);
  }
  const hex = value === 0n ? "" : value.toString(16);
  const digits = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  const data = Buffer.concat([Buffer.alloc(leading(text, "1")), digits]);
  if (data.length <= checksumLength) return null;
  const payload = data.subarray(0, -checksumLength);
  return checksum(payload).equals(data.subarray(-checksumLength)) ? payload : null;
}

/** How many leading elements equal a value. */
const leading = <T>(elements: ArrayLike<T>, value: T): number => {
  let count = 0;
  while (count < elements.length && elements[count] === value) count += 1;
  return count;
};
