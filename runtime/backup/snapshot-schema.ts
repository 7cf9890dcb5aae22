import type { Database } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import type { Migration } from "../database/migration.ts";
import { requireRestored } from "../database/schema-state.ts";
import { BackupError } from "./backup-error.ts";
import { migrationsOf } from "./check-schema.ts";
import type { Manifest } from "./manifest.ts";
import { readMigrations } from "./table-schema.ts";

/** Creates a snapshot's schema in an empty database; requires the same schema in a non-empty one. @throws {BackupError} */
export async function prepareSchema(database: Database, manifest: Manifest, migrations: readonly Migration[]): Promise<void> {
  const list = migrationsOf(manifest, migrations);
  const applied = await readMigrations(database);
  if (applied.length === 0) {
    await migrate(database, list);
    return;
  }
  await requireRestored(database);
  const pending = manifest.migrations.find((name) => !applied.includes(name));
  if (pending !== undefined)
    throw new BackupError(`The database's schema is older than the snapshot's (missing migration: ${pending}): run ashlar migrate first.`);
  const newer = applied.find((name) => !manifest.migrations.includes(name));
  if (newer !== undefined)
    throw new BackupError(
      `The snapshot's schema is older than the database's (missing migration: ${newer}): restore it into a new database, which is then migrated, or take a snapshot with this version.`,
    );
}
