import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { cwd } from "node:process";
import { ConfigError } from "./config-error.ts";
import { fileProblem } from "./file-problem.ts";

/** The files in a protocols directory. */
export interface CommunityFiles {
  /** The directory, as shown in diagnostics. */
  readonly directory: string;
  /** The contents of the YAML and SQL files in its folders, by path as shown in diagnostics. */
  readonly files: ReadonlyMap<string, string>;
}

/** More than any declaration or query needs. */
const maxBytes = 1_048_576;

/** Reads an operator's protocols directory. Paths below the working folder are relative to it. @throws {ConfigError} */
export function readCommunityDirectory(directory: string): CommunityFiles {
  const files = new Map<string, string>();
  for (const folder of foldersOf(directory)) {
    for (const name of read(directory, () => readdirSync(join(directory, folder)).sort())) {
      if (!/^[^.].*\.(ya?ml|sql)$/.test(name)) continue;
      const path = join(directory, folder, name);
      files.set(displayPath(path), readText(path));
    }
  }
  return { directory: displayPath(directory), files };
}

/** Folders, and links to folders; names that start with a dot belong to tools. */
const foldersOf = (directory: string): string[] =>
  read(directory, () => readdirSync(directory))
    .filter((name) => !name.startsWith(".") && statSync(join(directory, name), { throwIfNoEntry: false })?.isDirectory() === true)
    .sort();

/** The text of a file. Its kind and size are checked first, because reading a pipe or a device may never end. */
function readText(path: string): string {
  const status = read(path, () => statSync(path));
  if (!status.isFile()) throw new ConfigError(`${displayPath(path)}: Invalid file: found a folder, pipe or device, expected a text file.`);
  if (status.size > maxBytes)
    throw new ConfigError(`${displayPath(path)}: Oversized file: found ${status.size} bytes, expected at most ${maxBytes}.`);
  return read(path, () => readFileSync(path, "utf8"));
}

/** A path as messages show it: relative to the working folder if it is below it. */
export const displayPath = (path: string): string => {
  const relativePath = relative(cwd(), path);
  return relativePath === "" || relativePath.startsWith("..") ? path : relativePath;
};

function read<Content>(path: string, reading: () => Content): Content {
  try {
    return reading();
  } catch (error) {
    throw new ConfigError(
      `Cannot read ${displayPath(path)} of communityDirectory: ${fileProblem(error)}; set communityDirectory to a directory with a folder per protocol, relative to the configuration file, or remove the setting.`,
    );
  }
}
