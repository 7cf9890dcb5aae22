import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { cwd } from "node:process";
import { ConfigError } from "./config-error.ts";
import { fileProblem } from "./file-problem.ts";

/** The files of a directory of protocols. */
export interface CommunityFiles {
  /** The directory as diagnostics name it. */
  readonly directory: string;
  /** The texts of the YAML and SQL files in its folders, by the paths that diagnostics name. */
  readonly files: ReadonlyMap<string, string>;
}

/** A declaration and its queries together have less. */
const maxBytes = 1_048_576;

/** Reads an operator's directory of protocols. Paths are relative to the working folder where they are below it. @throws {ConfigError} */
export function readCommunityDirectory(directory: string): CommunityFiles {
  const files = new Map<string, string>();
  for (const folder of foldersOf(directory)) {
    for (const name of read(directory, () => readdirSync(join(directory, folder)).sort())) {
      if (!/^[^.].*\.(ya?ml|sql)$/.test(name)) continue;
      const path = join(directory, folder, name);
      const text = read(path, () => readFileSync(path, "utf8"));
      if (text.length > maxBytes)
        throw new ConfigError(`${shown(path)}: Oversized file: found ${text.length} characters, expected at most ${maxBytes}.`);
      files.set(shown(path), text);
    }
  }
  return { directory: shown(directory), files };
}

/** Folders whose names start with a dot are those of tools. */
const foldersOf = (directory: string): string[] =>
  read(directory, () => readdirSync(directory, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort();

const shown = (path: string): string => {
  const below = relative(cwd(), path);
  return below === "" || below.startsWith("..") ? path : below;
};

function read<Content>(path: string, reading: () => Content): Content {
  try {
    return reading();
  } catch (error) {
    throw new ConfigError(
      `Cannot read ${shown(path)} of communityDirectory: ${fileProblem(error)}; set it to a directory with a folder per protocol, relative to the configuration file, or remove it.`,
    );
  }
}
