import { protocols } from "../generated/community.gen.ts";
import { communityObjects, communityOperations } from "../generated/community-items.gen.ts";
import { displayPath, readCommunityDirectory } from "./config/community-directory.ts";
import { type Config, isEvmChain } from "./config/config.ts";
import { ConfigError } from "./config/config-error.ts";
import { presets } from "./config/presets/index.ts";
import type { AddedProtocol } from "./declarations/added-protocol.ts";
import { checkDirectory } from "./declarations/check-directory.ts";
import { type Diagnostic, diagnostic, renderDiagnostic, sortDiagnostics } from "./declarations/diagnostics.ts";
import type { Protocol } from "./declarations/protocol.ts";
import { configurationProblem } from "./domains/community/configuration.ts";

/** The built-in protocols. */
export const builtInProtocols: readonly Protocol[] = protocols;

/** The demo chain's name, which is not in the configuration. */
const demoChain = "demo";

/** A process's declared protocols. */
export interface DeclaredProtocols {
  /** Built-in and added ones. */
  readonly protocols: readonly Protocol[];
  /** The protocols in the operator's directory. */
  readonly addedProtocols: readonly AddedProtocol[];
}

/**
 * The declared protocols in a configuration. @throws {ConfigError} with all diagnostics of the operator's directory, or if a chain adds contracts to a protocol
 * or kind that does not exist.
 */
export function loadProtocols({ communityDirectory, protocols: names, chains }: LoadedConfig): DeclaredProtocols {
  const addedProtocols = communityDirectory === undefined ? [] : loadAddedProtocols(communityDirectory, names);
  const declared = [...builtInProtocols, ...addedProtocols.map(({ protocol }) => protocol)];
  for (const chain of chains) {
    const problem = isEvmChain(chain) ? configurationProblem(declared, chain) : null;
    if (problem !== null) throw new ConfigError(problem);
  }
  return { protocols: declared, addedProtocols };
}

type LoadedConfig = Pick<Config, "communityDirectory" | "protocols" | "chains">;

/** The protocols in a directory. `names` are the operator's names for protocols, by id. @throws {ConfigError} with all diagnostics. */
export function loadAddedProtocols(path: string, names: Config["protocols"]): readonly AddedProtocol[] {
  const { directory, files } = readCommunityDirectory(path);
  const configured = Object.entries(names).filter(([id]) => builtInProtocols.some((protocol) => protocol.id === id));
  const takenNames = new Map([
    ...configured.map(([id, name]) => [name, `the built-in protocol ${id} in the setting protocols`] as const),
    ...builtInProtocols.flatMap(({ id, name }) => [id, name].map((text) => [text, `the built-in protocol ${id}`] as const)),
  ]);
  const { value, diagnostics } = checkDirectory(directory, files, {
    template: new Map(Object.entries(communityOperations)),
    objects: communityObjects,
    takenNames,
  });
  if (diagnostics.length > 0) throw directoryError(directory, diagnostics);
  return value;
}

/**
 * Reports protocols' networks if no preset or configured chain has their name: they have no effect and may be misspelled. A warning suffices, because a
 * directory may be shared with operators of other chains.
 */
export const unknownNetworks = (
  added: readonly Pick<AddedProtocol, "networkLocations">[],
  { chains }: Pick<Config, "chains">,
): Diagnostic[] => {
  const expected = [...new Set([...chains.map(({ name }) => name), ...presets.map(({ name }) => name), demoChain])];
  const unknown = added.flatMap(({ networkLocations }) => [...networkLocations].filter(([name]) => !expected.includes(name)));
  return sortDiagnostics(unknown.map(([name, location]) => diagnostic("unknown-network", location, { name, expected })));
};

/** The error for a protocols directory with problems. */
export function directoryError(directory: string, diagnostics: readonly Diagnostic[]): ConfigError {
  const lines = sortDiagnostics(diagnostics).map(renderDiagnostic);
  const count = lines.length === 1 ? "1 problem" : `${lines.length} problems`;
  const remedy = `${count} in ${displayPath(directory)}: correct the files, or remove communityDirectory from the configuration.`;
  return new ConfigError([...lines, remedy].join("\n"));
}
