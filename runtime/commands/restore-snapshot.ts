import { stdout } from "node:process";
import { type ChainRestoreResult, readSnapshotManifest, restoreChain } from "../backup/restore-chain.ts";
import type { RestoreStep } from "../backup/restore-tables.ts";
import type { Config } from "../config/config.ts";
import type { Database, DatabaseOptions } from "../database/database.ts";
import { installTables } from "../domains/community/install/install.ts";
import { resetProtocolsOnChain } from "../domains/community/install/reset-protocols.ts";
import { installationOf } from "../domains/community/install/statements.ts";
import { createLeader } from "../indexer/leader/leader.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { migrations } from "../migrations.ts";
import { recordAction } from "../operator/actions.ts";
import { loadProtocols } from "../protocols.ts";
import { commandActor } from "./actor.ts";
import { readChainIdentity } from "./chain-identity.ts";
import { CommandError } from "./command-error.ts";

/** What to restore, and where. */
export interface RestoreTarget {
  readonly connection: Pick<DatabaseOptions, "url" | "description" | "applicationName">;
  readonly database: Database;
  /** The control database, if it is a different one. */
  readonly actionLog?: Database | undefined;
  readonly folder: string;
  readonly jobs: number;
  readonly readsBack: boolean;
  readonly onProgress: (step: RestoreStep, done: number, total: number) => void;
}

/** How long to wait for a process that is releasing the chain. */
const waitMilliseconds = 5_000;

/** Adds a snapshot's chain to a database under its configured name. @throws {CommandError} */
export async function restoreSnapshot(config: Config, name: string, target: RestoreTarget): Promise<ChainRestoreResult> {
  const configured = config.chains.find((chain) => chain.name === name);
  if (configured === undefined)
    throw new CommandError(`Invalid value "${name}" for --chain: expected a configured chain; see chains in ashlar.yaml.`);
  const identity = await readChainIdentity(configured);
  const { manifest } = await readSnapshotManifest(target.folder, identity);
  if (identity.problem !== null)
    stdout.write(
      `The genesis block of ${escapeTerminal(name)} was not compared with a node, because ${escapeTerminal(identity.problem)}. Its indexer compares it before it continues.\n`,
    );
  const installations = new Map(loadProtocols(config).protocols.map((protocol) => [protocol.id, installationOf(protocol)]));
  const leader = createLeader({
    database: target.database,
    chain: { id: manifest.chain.id, name },
    logger: { info: () => undefined, warn: () => undefined },
  });
  let restored: ChainRestoreResult | undefined;
  await leader.lead(AbortSignal.timeout(waitMilliseconds), async ({ guard }) => {
    restored = await restoreChain({
      ...target,
      chain: identity,
      migrations,
      guard,
      async installProtocol({ id, fingerprint }) {
        const installation = installations.get(id);
        return installation?.fingerprint === fingerprint && (await installTables(target.database, installation));
      },
      resetProtocols: resetProtocolsOnChain,
      onRestored: (client) =>
        recordAction(target.actionLog ?? client, {
          actor: commandActor(),
          action: "chain.restore",
          subject: name,
          details: { head: manifest.chain.head, createdAt: manifest.createdAt },
        }),
    });
  });
  if (restored === undefined)
    throw new CommandError(`Another process is indexing or restoring ${name}: stop it, and repeat this command. Nothing was changed.`);
  return restored;
}
