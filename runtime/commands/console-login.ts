import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import { readConsoleUrl } from "../console/console-url.ts";
import { createSignInToken } from "../console/sessions.ts";
import { commandActor } from "./actor.ts";
import { CommandError } from "./command-error.ts";
import { requireDatabase } from "./configured-database.ts";
import { openDatabase } from "./open-database.ts";

/** `ashlar console login`: prints a link that signs its first user in to the console. @throws {CommandError} if the database has never had a console. */
export async function printConsoleLink(config: Config): Promise<void> {
  requireDatabase(config);
  const database = await openDatabase(config);
  try {
    const url = config.console?.publicUrl?.replace(/\/+$/, "") ?? (await readConsoleUrl(database.control));
    if (url === null)
      throw new CommandError(
        "No console was started on this database: add console: {} to ashlar.yaml, and run ashlar start or ashlar serve.",
      );
    const { token, expiresAt } = await createSignInToken(database.control, commandActor());
    stdout.write(`${url}/console/#/sign-in/${token}\n`);
    stdout.write(`The link works once and expires at ${expiresAt.toISOString()}. Anyone who opens it is signed in: do not share it.\n`);
  } finally {
    await database.close();
  }
}
