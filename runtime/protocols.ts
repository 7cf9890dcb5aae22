import { protocols } from "../generated/community.gen.ts";
import { communityObjects, communityOperations } from "../generated/community-items.gen.ts";
import { readCommunityDirectory } from "./config/community-directory.ts";
import { type Config, isEvmChain } from "./config/config.ts";
import { ConfigError } from "./config/config-error.ts";
import type { AddedProtocol } from "./declarations/added-protocol.ts";
import { checkDirectory } from "./declarations/check-directory.ts";
import { renderDiagnostic } from "./declarations/diagnostics.ts";
import type { Protocol } from "./declarations/protocol.ts";
import { configurationProblem } from "./domains/community/configuration.ts";

/** The built-in protocols. */
export const communityProtocols: readonly Protocol[] = protocols;

/** The declared protocols of a process. */
export interface DeclaredProtocols {
  /** Built-in and added ones. */
  readonly protocols: readonly Protocol[];
  /** Those of the operator's directory. */
  readonly added: readonly AddedProtocol[];
}

/**
 * The declared protocols of a configuration. @throws {ConfigError} with all diagnostics of the operator's directory, or if a chain adds contracts to a protocol or
 * kind that does not exist.
 */
export function loadProtocols({ communityDirectory, protocols: names, chains }: LoadedConfig): DeclaredProtocols {
  const added = communityDirectory === undefined ? [] : loadAddedProtocols(communityDirectory, names);
  const declared = [...communityProtocols, ...added.map(({ protocol }) => protocol)];
  for (const chain of chains) {
    const problem = isEvmChain(chain) ? configurationProblem(declared, chain) : null;
    if (problem !== null) throw new ConfigError(problem);
  }
  return { protocols: declared, added };
}

type LoadedConfig = Pick<Config, "communityDirectory" | "protocols" | "chains">;

/** The protocols of a directory. `names` are the operator's names of protocols, by id. @throws {ConfigError} with all diagnostics. */
export function loadAddedProtocols(path: string, names: Config["protocols"]): readonly AddedProtocol[] {
  const { directory, files } = readCommunityDirectory(path);
  const configured = Object.entries(names).filter(([id]) => communityProtocols.some((protocol) => protocol.id === id));
  const taken = new Map([
    ...configured.map(([id, name]) => [name, `the built-in protocol ${id}, by the setting protocols`] as const),
    ...communityProtocols.flatMap(({ id, name }) => [id, name].map((word) => [word, `the built-in protocol ${id}`] as const)),
  ]);
  const { value, diagnostics } = checkDirectory(directory, files, {
    template: new Map(Object.entries(communityOperations)),
    objects: communityObjects,
    taken,
  });
  if (diagnostics.length > 0) {
    const count = diagnostics.length === 1 ? "1 problem" : `${diagnostics.length} problems`;
    const lines = diagnostics.map(renderDiagnostic);
    throw new ConfigError(
      [...lines, `${count} in ${directory}: correct the files, or remove communityDirectory from the configuration.`].join("\n"),
    );
  }
  return value;
}
