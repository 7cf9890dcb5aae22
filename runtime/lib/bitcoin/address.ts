import type { Hex } from "../hex.ts";
import { decodeBase58Check, encodeBase58Check } from "./base58check.ts";
import { decodeWitness, encodeWitness, isWitnessProgram, type WitnessProgram } from "./bech32.ts";
import type { BitcoinNetwork } from "./networks.ts";

/** An address payload: a public key hash, a script hash or a witness program. Its script is the same on every network. */
type Payload =
  | { readonly kind: "publicKeyHash" | "scriptHash"; readonly hash: Uint8Array }
  | { readonly kind: "witness"; readonly witness: WitnessProgram };

/** Match P2PKH and P2SH (BIP 16) scripts, and capture the hash. */
const publicKeyHashScript = /^0x76a914([0-9a-f]{40})88ac$/;
const scriptHashScript = /^0xa914([0-9a-f]{40})87$/;
/** OP_0 or OP_1 to OP_16, then one push of 2 to 40 bytes (BIP 141). */
const witnessScript = /^0x(00|5[1-9a-f]|60)([0-9a-f]{2})((?:[0-9a-f]{2}){2,40})$/;
const hashLength = 20;
/** A version byte, 20 bytes and the checksum have at most 35 digits in base 58. */
const maxBase58Length = 35;

/** An address's script, which identifies its outputs; null if the text is not a valid address on the network. */
export function scriptOf(network: BitcoinNetwork, address: string): Hex | null {
  const witness = decodeWitness(network.prefix, address);
  if (witness !== null) return scriptOfWitness(witness);
  const payload = decodeBase58Check(address, maxBase58Length);
  if (payload?.length !== 1 + hashLength) return null;
  const hash = payload.subarray(1).toString("hex");
  if (payload[0] === network.publicKeyHash) return `0x76a914${hash}88ac`;
  return payload[0] === network.scriptHash ? `0xa914${hash}87` : null;
}

/** A script's address on a network; null if it has none. */
export function addressOf(network: BitcoinNetwork, script: Hex): string | null {
  const payload = payloadOf(script);
  if (payload === null) return null;
  if (payload.kind === "witness") return encodeWitness(network.prefix, payload.witness);
  return encodeBase58Check(Buffer.from([network[payload.kind], ...payload.hash]));
}

/** Whether a script has an address: P2PKH, P2SH and witness programs do; bare public keys, bare multisig and OP_RETURN do not. */
export const hasAddress = (script: Hex): boolean => payloadOf(script) !== null;

function payloadOf(script: Hex): Payload | null {
  const publicKeyHash = publicKeyHashScript.exec(script)?.[1];
  if (publicKeyHash !== undefined) return { kind: "publicKeyHash", hash: Buffer.from(publicKeyHash, "hex") };
  const scriptHash = scriptHashScript.exec(script)?.[1];
  if (scriptHash !== undefined) return { kind: "scriptHash", hash: Buffer.from(scriptHash, "hex") };
  const [, opcode = "", length = "", digits = ""] = witnessScript.exec(script) ?? [];
  if (opcode === "" || Number.parseInt(length, 16) * 2 !== digits.length) return null;
  const version = opcode === "00" ? 0 : Number.parseInt(opcode, 16) - 0x50;
  const witness = { version, program: Buffer.from(digits, "hex") };
  return isWitnessProgram(witness) ? { kind: "witness", witness } : null;
}

const scriptOfWitness = ({ version, program }: WitnessProgram): Hex => {
  const opcode = version === 0 ? 0 : 0x50 + version;
  return `0x${Buffer.from([opcode, program.length, ...program]).toString("hex")}`;
};
