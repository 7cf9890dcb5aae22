import type { Migration } from "../database/migration.ts";
import { BackupError } from "./backup-error.ts";
import type { Manifest } from "./manifest.ts";
import type { TableSchema } from "./table-schema.ts";

/** The migrations that create a backup's schema. @throws {BackupError} if this program does not have all of them. */
export function migrationsOf(manifest: Manifest, migrations: readonly Migration[]): readonly Migration[] {
  const unknown = manifest.migrations.find((name) => migrations.every((migration) => migration.name !== name));
  if (unknown !== undefined)
    throw new BackupError(
      `The backup's schema is newer than this program (unknown migration: ${unknown}): restore it with version ${manifest.version} or newer.`,
    );
  return migrations.filter(({ name }) => manifest.migrations.includes(name));
}

/** Compares a backup's tables and columns with the created ones. @throws {BackupError} for the first difference. */
export function checkTables(manifest: Manifest, omitted: ReadonlySet<string>, tables: readonly TableSchema[]): void {
  const expected = new Map(tables.map((table) => [table.name, describe(table.columns)]));
  for (const { name, columns, sequence } of manifest.tables) {
    if (omitted.has(name)) continue;
    const created = expected.get(name);
    if (created === undefined) throw new BackupError(`The backup's schema differs: unexpected table ${name}.`);
    if (created !== describe(columns))
      throw new BackupError(`The backup's schema differs: table ${name} has different columns (${describe(columns)}).`);
    const sequenceColumn = tables.find((table) => table.name === name)?.sequenceColumn ?? null;
    if ((sequence?.column ?? null) !== sequenceColumn) throw new BackupError(`The backup's schema differs: the sequence of table ${name}.`);
  }
  const present = new Set(manifest.tables.map(({ name }) => name));
  const missing = tables.find(({ name }) => !present.has(name));
  if (missing !== undefined) throw new BackupError(`The backup is incomplete: table ${missing.name} is missing.`);
}

const describe = (columns: TableSchema["columns"]): string => columns.map(({ name, type }) => `${name} ${type}`).join(", ");
