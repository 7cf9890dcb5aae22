import type { Config } from "../config/config.ts";
import type { AddedProtocol } from "../declarations/added-protocol.ts";
import { renderDiagnostic } from "../declarations/diagnostics.ts";
import { unknownNetworks } from "../protocols.ts";
import { requirePlannable } from "./community/require-plannable.ts";
import { type LongRunning, openDatabase, type ServiceDatabase } from "./open-database.ts";

/** Opens the databases of a process that serves or indexes, and plans the statements of the operator's protocols. @throws {ConfigError} with all diagnostics. */
export async function openService(config: Config, added: readonly AddedProtocol[], longRunning: LongRunning): Promise<ServiceDatabase> {
  for (const warning of unknownNetworks(added, config)) longRunning.logger.warn(renderDiagnostic(warning));
  const database = await openDatabase(config, longRunning);
  try {
    const { indexing, readerRole } = database;
    await requirePlannable(added, { database: indexing, readerRole, directory: config.communityDirectory });
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
