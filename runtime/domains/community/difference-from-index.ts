import type { Queryable } from "../../database/database.ts";
import type { Protocol } from "../../declarations/protocol.ts";
import { type CommunityChain, fixedContracts, protocolsOn } from "./contracts-on-chain.ts";
import { installationOf } from "./install/statements.ts";
import { versionOf } from "./projection/version.ts";
import { projectionIdOf } from "./relations.ts";

/** Why the rows in the index do not match a declaration, and what to do; null if they match. Each lookup uses a primary key. */
export async function differenceFromIndex(
  { query }: Pick<Queryable, "query">,
  chain: CommunityChain & { readonly id: number },
  protocol: Protocol,
): Promise<string | null> {
  if (protocol.tables.length === 0) return "it declares no tables";
  if (protocolsOn([protocol], chain).length === 0) return `it has no contracts on ${chain.name}${otherNetworks(protocol)}`;
  const [installed] = await query<{ fingerprint: string }>("SELECT fingerprint FROM community_protocols WHERE id = $1", [protocol.id]);
  if (installed === undefined) return `the index has no tables for it${restart}`;
  if (installed.fingerprint !== installationOf(protocol).fingerprint)
    return `its tables, columns, indexes or reads differ from those in the index${restart}`;
  const [checkpoint] = await query<{ version: number; failure: string | null }>(
    "SELECT version, failure FROM projection_checkpoints WHERE chain_id = $1 AND projection = $2",
    [chain.id, projectionIdOf(protocol.id)],
  );
  if (checkpoint === undefined) return `it is not indexed on ${chain.name}${restart}`;
  if (checkpoint.failure !== null) return `it is switched off: ${checkpoint.failure}`;
  if (checkpoint.version === versionOf(protocol, fixedContracts(protocol, chain))) return null;
  return `its events, contracts, calls or version differ from those in the index${restart}`;
}

const restart = "; restart Ashlar with communityDirectory to index the protocol";

/** The networks that a declaration names, as a hint if one is misspelled. */
const otherNetworks = ({ contracts }: Protocol): string => {
  const names = new Set(Object.values(contracts).flatMap(({ networks }) => Object.keys(networks)));
  return names.size === 0 ? "" : `, only on ${[...names].join(", ")}`;
};
