import process from "node:process";
import type { Command } from "commander";
import { parseChains, parseExpiry, parseExpiryOrNever, parseNetworks, parseOrigins } from "../commands/key-options.ts";
import type { CreateOptions, UpdateOptions } from "../commands/keys.ts";
import { parseCredits, parseCreditsOrUnlimited, parseInteger, parseLimits } from "../commands/option-values.ts";
import { type CommonOptions, loadConfigWith, withConfig } from "./options.ts";

const limitHelp =
  "a limit of the key: concurrentRequests, databaseSecondsPerMinute or bytesInFlight, with a number, unlimited or default (repeatable)";

function reportUnknownKey(id: number): void {
  process.stderr.write(`No active key with id ${id}; list the keys with: ashlar keys list\n`);
  process.exitCode = 1;
}

/** Adds `ashlar keys`. */
export function addKeyCommands(program: Command): void {
  const keys = program.command("keys").description("manage API keys");
  withConfig(keys.command("create"))
    .description("create a key and print it; it cannot be shown again")
    .requiredOption("--label <text>", "a label to identify the key")
    .option("--credits <number>", "the max number of credits that the key may use (default: unlimited)", parseCredits("--credits"))
    .option("--daily-credits <number>", "its quota of credits per UTC day (default: unlimited)", parseCredits("--daily-credits"))
    .option("--monthly-credits <number>", "its quota of credits per UTC month (default: unlimited)", parseCredits("--monthly-credits"))
    .option("--expires <time>", "the time after which it is refused, in ISO 8601 (default: never)", parseExpiry)
    .option("--allow-chain <chain>", "a chain that it is allowed on, by name or id (repeatable)", parseChains)
    .option("--allow-origin <origin>", "an origin of web pages that may use it, such as https://app.example.com (repeatable)", parseOrigins)
    .option("--allow-address <address>", "an IP address or network (CIDR) that may use it (repeatable)", parseNetworks)
    .option("--limit <name=value>", limitHelp, parseLimits("--limit"))
    .action(async (options: CommonOptions & CreateOptions) =>
      (await import("../commands/keys.ts")).createKey(loadConfigWith(options), options),
    );
  withConfig(keys.command("update"))
    .description("change a key; servers apply the changes within 5 seconds")
    .argument("<id>", "the id of the key, as listed", parseInteger("id"))
    .option("--label <text>", "a new label")
    .option("--credits <number>", "the max number of credits that the key may use, or unlimited", parseCreditsOrUnlimited("--credits"))
    .option("--daily-credits <number>", "its quota of credits per UTC day, or unlimited", parseCreditsOrUnlimited("--daily-credits"))
    .option("--monthly-credits <number>", "its quota of credits per UTC month, or unlimited", parseCreditsOrUnlimited("--monthly-credits"))
    .option("--expires <time>", "the time after which it is refused, in ISO 8601, or never", parseExpiryOrNever)
    .option("--allow-chain <chain>", "a chain that it is allowed on, by name or id, or any (repeatable)", parseChains)
    .option(
      "--allow-origin <origin>",
      "an origin of web pages that may use it, such as https://app.example.com, or any (repeatable)",
      parseOrigins,
    )
    .option("--allow-address <address>", "an IP address or network (CIDR) that may use it, or any (repeatable)", parseNetworks)
    .option("--limit <name=value>", limitHelp, parseLimits("--limit"))
    .action(async (id: number, options: CommonOptions & UpdateOptions) => {
      if (await (await import("../commands/keys.ts")).updateKey(loadConfigWith(options), id, options)) return;
      reportUnknownKey(id);
    });
  withConfig(keys.command("list"))
    .description("list all keys and their usage")
    .action(async (options: CommonOptions) => (await import("../commands/keys.ts")).listKeys(loadConfigWith(options)));
  withConfig(keys.command("revoke"))
    .description("revoke a key; servers stop accepting it within 5 seconds")
    .argument("<id>", "the id of the key, as listed", parseInteger("id"))
    .action(async (id: number, options: CommonOptions) => {
      if (await (await import("../commands/keys.ts")).revokeKey(loadConfigWith(options), id)) return;
      reportUnknownKey(id);
    });
}
