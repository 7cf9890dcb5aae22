import type { Config } from "../config/config.ts";
import { configOfDatabase, databaseNameOf } from "../config/database-config.ts";
import type { AddedProtocol } from "../declarations/added-protocol.ts";
import { renderDiagnostic } from "../declarations/diagnostics.ts";
import { unknownNetworks } from "../protocols.ts";
import { requirePlannable } from "./community/require-plannable.ts";
import { type LongRunningOptions, openDatabase, type ServiceDatabases } from "./open-database.ts";
import { openShard } from "./open-shard.ts";
import type { OpenShard } from "./shard-pools.ts";

/**
 * Opens the databases of a process that serves or indexes, and plans the operator's protocols. @throws {ConfigError} with all diagnostics.
 */
export async function openServiceDatabases(
  config: Config,
  added: readonly AddedProtocol[],
  longRunning: LongRunningOptions,
): Promise<ServiceDatabases> {
  for (const warning of unknownNetworks(added, config)) longRunning.logger.warn(renderDiagnostic(warning));
  const control = await openDatabase(config, longRunning);
  const listeners: (() => void)[] = [];
  const shards: OpenShard[] = [];
  const close = async (): Promise<void> => {
    await Promise.all([control.close(), ...shards.map((shard) => shard.close())]);
  };
  try {
    const { indexing, readerRole } = control;
    await requirePlannable(added, { database: indexing, readerRole, directory: config.communityDirectory });
    const notify = (): void => {
      for (const listener of listeners) listener();
    };
    const names = new Set(config.chains.map(databaseNameOf).filter((name) => name !== null));
    const opening = [...names].map(async (name) => void shards.push(await openShard(configOfDatabase(config, name), longRunning, notify)));
    const failed = (await Promise.allSettled(opening)).find((outcome) => outcome.status === "rejected");
    if (failed !== undefined) throw failed.reason;
    return {
      ...control,
      shards,
      address: () => ({ ...control.address(), shards: Object.fromEntries(shards.map((shard) => [shard.name, shard.address()])) }),
      onAddressChange(listener) {
        control.onAddressChange(listener);
        listeners.push(listener);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
