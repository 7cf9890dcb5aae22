import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { listActions } from "../operator/actions.ts";
import { requireDatabase } from "./configured-database.ts";
import { openDatabase } from "./open-database.ts";

export interface LogOptions {
  readonly limit: number;
}

/** `ashlar log`: prints what operators changed, newest first. */
export async function printLog(config: Config, { limit }: LogOptions): Promise<void> {
  requireDatabase(config);
  const database = await openDatabase(config);
  try {
    const actions = await listActions(database.indexing, limit);
    if (actions.length === 0) stdout.write("No operator actions are recorded.\n");
    for (const { time, actor, action, subject, details } of actions) {
      const detail = Object.keys(details).length === 0 ? [] : [JSON.stringify(details)];
      stdout.write(`${escapeTerminal([time.toISOString(), actor, action, subject, ...detail].join("  "))}\n`);
    }
  } finally {
    await database.close();
  }
}
