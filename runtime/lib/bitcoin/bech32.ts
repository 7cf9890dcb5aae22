/** A witness program (BIP 141): its version, 0 to 16, and 2 to 40 bytes. */
export interface WitnessProgram {
  readonly version: number;
  readonly program: Uint8Array;
}

const alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3] as const;
/** A checksum's final value: bech32 (BIP 173) for version 0, bech32m (BIP 350) for later ones. */
const checksumOf = (version: number): number => (version === 0 ? 1 : 0x2bc830a3);
const checksumLength = 6;
const maxLength = 90;

/** Whether a program is valid for its version (BIP 141): version 0 has only key hashes and script hashes. */
export const isWitnessProgram = ({ version, program }: WitnessProgram): boolean =>
  version <= 16 && program.length >= 2 && program.length <= 40 && (version !== 0 || program.length === 20 || program.length === 32);

/** Encodes a witness program as an address (BIP 173, BIP 350). */
export function encodeWitness(prefix: string, { version, program }: WitnessProgram): string {
  const data = [version, ...(regroup(program, 8, 5, true) ?? [])];
  const sum = polymod([...expandedPrefix(prefix), ...data, ...Array.from({ length: checksumLength }, () => 0)]) ^ checksumOf(version);
  const checksum = Array.from({ length: checksumLength }, (_, position) => (sum >>> (5 * (checksumLength - 1 - position))) & 31);
  return `${prefix}1${[...data, ...checksum].map((digit) => alphabet[digit]).join("")}`;
}

/** Decodes a witness program's address; null if it is invalid or has another prefix. */
export function decodeWitness(prefix: string, address: string): WitnessProgram | null {
  const text = address.toLowerCase();
  // Mixed case is invalid.
  if (address.length > maxLength || (address !== text && address !== address.toUpperCase())) return null;
  if (!text.startsWith(`${prefix}1`)) return null;
  const digits = Array.from(text.slice(prefix.length + 1), (character) => alphabet.indexOf(character));
  const [version, ...rest] = digits;
  if (version === undefined || digits.includes(-1) || digits.length <= checksumLength) return null;
  if (polymod([...expandedPrefix(prefix), ...digits]) !== checksumOf(version)) return null;
  const program = regroup(rest.slice(0, -checksumLength), 5, 8, false);
  if (program === null) return null;
  const witness = { version, program: Uint8Array.from(program) };
  return isWitnessProgram(witness) ? witness : null;
}

function polymod(values: readonly number[]): number {
  let sum = 1;
  for (const value of values) {
    const top = sum >>> 25;
    sum = ((sum & 0x1ffffff) << 5) ^ value;
    for (const [bit, factor] of generator.entries()) if ((top >>> bit) & 1) sum ^= factor;
  }
  return sum;
}

const expandedPrefix = (prefix: string): number[] => {
  const codes = Array.from(prefix, (character) => character.charCodeAt(0));
  return [...codes.map((code) => code >>> 5), 0, ...codes.map((code) => code & 31)];
};

/** Regroups bits; returns null if they may not be padded and the remaining bits are a complete group or not zero. */
function regroup(values: Iterable<number>, from: number, to: number, padded: boolean): number[] | null {
  let buffer = 0;
  let bits = 0;
  const groups: number[] = [];
  for (const value of values) {
    buffer = ((buffer << from) | value) & 0xfff;
    for (bits += from; bits >= to; bits -= to) groups.push((buffer >>> (bits - to)) & ((1 << to) - 1));
  }
  const rest = (buffer << (to - bits)) & ((1 << to) - 1);
  if (padded) return bits > 0 ? [...groups, rest] : groups;
  return bits < from && rest === 0 ? groups : null;
}
