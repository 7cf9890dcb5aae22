import { createHash } from "node:crypto";
import type { Protocol } from "../../../declarations/protocol.ts";
import type { FixedContracts } from "../contracts-on-chain.ts";

/** Increased when the same declaration produces different rows. */
const layoutVersion = 2;

/** A hash of everything that a protocol's rows depend on: 31 bits, which fit into the version column. */
export const versionOf = (protocol: Protocol, contracts: FixedContracts): number => {
  const { id, version, tables, reads } = protocol;
  const discovery = Object.entries(protocol.contracts).map(([kind, { discoveredBy, listedBy }]) => [
    kind,
    discoveredBy,
    ...(listedBy.length === 0 ? [] : [listedBy]),
  ]);
  const fixed = [...contracts].map(([kind, addresses]) => [kind, [...addresses].sort()]);
  return (
    createHash("sha256")
      .update(JSON.stringify([layoutVersion, id, version, discovery, tables, reads, fixed]))
      .digest()
      .readUInt32BE() >>> 1
  );
};
