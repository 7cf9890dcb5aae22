import type { ChainConfig } from "./config/config.ts";
import { readConfiguredFile } from "./config/read-configured-file.ts";
import { parseTokenList } from "./config/token-list-file.ts";
import type { Labels } from "./domains/names/labels.ts";
import { parseLabels } from "./domains/names/labels-file.ts";
import { type AbiRegistry, createAbiRegistry } from "./events/abi-registry.ts";

/** A chain with its token list's logos. @throws {ConfigError} @throws {TokenListError} */
export function withTokenList(chain: ChainConfig): ChainConfig {
  const { id, name, tokenListFile: file, tokenLogos } = chain;
  return file === undefined
    ? chain
    : { ...chain, tokenLogos: { ...parseTokenList(file, readConfiguredFile(name, "tokenListFile", file), id), ...tokenLogos } };
}

/** The operator's labels by chain id. @throws {ConfigError} @throws {LabelsFileError} */
export const readLabels = (chains: readonly ChainConfig[]): ReadonlyMap<number, Labels> =>
  new Map(
    chains.flatMap(({ id, name, labelsFile }) =>
      labelsFile === undefined ? [] : [[id, parseLabels(labelsFile, readConfiguredFile(name, "labelsFile", labelsFile))]],
    ),
  );

/** The chains' log decoders, each with its own ABI files. @throws {ConfigError} @throws {AbiFileError} */
export function createDecoders(chains: readonly ChainConfig[]): (chainId: number) => AbiRegistry["decodeLog"] {
  const decoders = new Map<number, AbiRegistry["decodeLog"]>(
    chains.map((chain) => {
      const files = chain.abiFiles.map((name) => ({ name, json: readConfiguredFile(chain.name, "abiFiles", name) }));
      return [chain.id, createAbiRegistry(files).decodeLog];
    }),
  );
  return (chainId) => decoders.get(chainId) ?? (() => null);
}
