import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { cwd, stdout } from "node:process";
import { type Config, isEvmChain } from "../../config/config.ts";
import { idPattern } from "../../declarations/names.ts";
import type { Address } from "../../lib/hex.ts";
import { loadAddedProtocols } from "../../protocols.ts";
import { CommandError } from "../command-error.ts";
import { scaffoldFiles, schemaFile } from "./scaffold.ts";

export interface NewProtocolOptions {
  readonly directory?: string;
  readonly chain: string;
  readonly contract?: readonly Address[];
}

/** The demo's vaults, which a new protocol reads by default. */
const demoVaults = (config: Config, chain: string): readonly Address[] =>
  config.chains.filter((configured) => isEvmChain(configured)).find(({ name }) => name === chain)?.community.protocol_06?.vault ?? [];

/** `ashlar community new`: writes the files of a protocol that passes the check. @throws {CommandError} */
export function createProtocol(config: Config, id: string, { directory, chain, contract }: NewProtocolOptions): void {
  if (!idPattern.test(id))
    throw new CommandError(`Invalid value "${id}" for name: expected a snake_case name of at most 20 characters, such as my_vaults.`);
  const contracts = contract ?? demoVaults(config, chain);
  if (contracts.length === 0)
    throw new CommandError(
      `No contracts specified on ${chain}: pass the addresses of ERC-4626 vaults with --contract, or run ashlar start for the demo, which has vaults.`,
    );
  const parent = directory === undefined ? (config.communityDirectory ?? resolve("endpoints")) : resolve(directory);
  const folder = join(parent, id);
  if (existsSync(folder)) throw new CommandError(`${displayPath(folder)} already exists: choose another name, or remove the folder.`);
  mkdirSync(folder, { recursive: true });
  const files = scaffoldFiles({ id, chain, contracts });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  // Overwrites an older version's schema.
  writeFileSync(join(parent, schemaFile), readFileSync(new URL("../../../generated/protocol.schema.json", import.meta.url)));
  loadAddedProtocols(parent, config.protocols);
  const setting = config.communityDirectory === parent ? [] : [`  set communityDirectory: ${displayPath(parent)} in ashlar.yaml`];
  const lines = [
    `Created ${Object.keys(files)
      .map((name) => displayPath(join(folder, name)))
      .join(", ")}, and ${displayPath(join(parent, schemaFile))} for editors.`,
    "Next steps:",
    ...setting,
    `  run ashlar start, or restart it if it is running, to create and fill the tables`,
    `  run ashlar community test ${displayPath(parent)} --chain ${chain} when the index is at the head`,
    `  request /v1/cq/provider/app/${id}/balances/?address=…`,
  ];
  stdout.write(`${lines.join("\n")}\n`);
}

const displayPath = (path: string): string => {
  const relativePath = relative(cwd(), path);
  return relativePath === "" || relativePath.startsWith("..") ? path : `./${relativePath}`;
};
