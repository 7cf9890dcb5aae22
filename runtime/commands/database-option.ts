import type { Config } from "../config/config.ts";
import { controlDatabase } from "../config/databases.ts";
import { invalidValue } from "./option-values.ts";

/** The database that an option's value names; null for the control database. @throws {CommandError} if it is not configured. */
export function parseDatabaseName({ databases }: Pick<Config, "databases">, option: string, value: string): string | null {
  if (value === controlDatabase) return null;
  const names = Object.keys(databases);
  if (names.includes(value)) return value;
  const remedy = names.length === 0 ? ", because no databases are configured; add databases to ashlar.yaml" : "";
  throw invalidValue(option, value, `${[...names, controlDatabase].join(" or ")}${remedy}`);
}

/** A database's name in messages and as an option value. */
export const renderDatabaseName = (name: string | null): string => name ?? controlDatabase;
