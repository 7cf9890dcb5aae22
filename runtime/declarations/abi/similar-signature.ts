import { toEventSelector } from "viem";
import type { Hash } from "../../lib/hex.ts";
import type { EventSignature } from "../protocol.ts";

const sizes = [8, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 256];
/** The most common types of event parameters. */
const commonTypes = [
  ...["address", "bool", "string", "bytes", "bytes4", "bytes32", "address[]", "uint256[]", "int256[]", "bytes32[]"],
  ...sizes.map((bits) => `uint${bits}`),
  ...sizes.map((bits) => `int${bits}`),
];

/** The canonical signature of an event. */
export const canonicalSignature = ({ name, parameters }: Pick<EventSignature, "name" | "parameters">): string =>
  signatureOf(
    name,
    parameters.map(({ type }) => type),
  );

/**
 * The logged event signature that the author of a declared event probably meant: one type differs, two neighbouring types are swapped, or one
 * parameter is missing or superfluous. Null if there is none.
 */
export function similarSignature({ name, parameters }: EventSignature, topics: ReadonlySet<Hash>): string | null {
  const types = parameters.map(({ type }) => type);
  const changed = types.flatMap((_, position) => commonTypes.map((type) => types.with(position, type)));
  const swapped = types.slice(1).map((type, position) => types.with(position, type).with(position + 1, types[position] ?? ""));
  const shortened = types.map((_, position) => types.toSpliced(position, 1));
  const extended = [0, ...types.map((_, position) => position + 1)].flatMap((position) =>
    commonTypes.map((type) => types.toSpliced(position, 0, type)),
  );
  const candidates = [...changed, ...swapped, ...shortened, ...extended].map((list) => signatureOf(name, list));
  return candidates.find((text) => topics.has(toEventSelector(text))) ?? null;
}

const signatureOf = (name: string, types: readonly string[]): string => `${name}(${types.join(",")})`;
