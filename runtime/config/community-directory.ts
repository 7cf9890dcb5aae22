import { readdirSync, readFileSync, statSync } from "node:fs";
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

/** A declaration has less, and so has a query. */
const maxBytes = 1_048_576;

/** Reads an operator's directory of protocols. Paths are relative to the working folder where they are below it. @throws {ConfigError} */
export function readCommunityDirectory(directory: string): CommunityFiles {
  const files = new Map<string, string>();
  for (const folder of foldersOf(directory)) {
    for (const name of read(directory, () => readdirSync(join(directory, folder)).sort())) {
      if (!/^[^.].*\.(ya?ml|sql)$/.test(name)) continue;
      const path = join(directory, folder, name);
      files.set(shownPath(path), readText(path));
    }
  }
  return { directory: shownPath(directory), files };
}

/** Folders, and links to folders. Those whose names start with a dot are of tools. */
const foldersOf = (directory: string): string[] =>
  read(directory, () => readdirSync(directory))
    .filter((name) => !name.startsWith(".") && statSync(join(directory, name), { throwIfNoEntry: false })?.isDirectory() === true)
    .sort();

/** The text of a file, whose kind and size are checked before it is read: the end of a pipe or a device may never come. */
function readText(path: string): string {
  const status = read(path, () => statSync(path));
  if (!status.isFile()) throw new ConfigError(`${shownPath(path)}: Invalid file: found a folder, pipe or device, expected a text file.`);
  if (status.size > maxBytes)
    throw new ConfigError(`${shownPath(path)}: Oversized file: found ${status.size} bytes, expected at most ${maxBytes}.`);
  return read(path, () => readFileSync(path, "utf8"));
}

/** A path relative to the working folder where it is below it. */
export const shownPath = (path: string): string => {
  const below = relative(cwd(), path);
  return below === "" || below.startsWith("..") ? path : below;
};

function read<Content>(path: string, reading: () => Content): Content {
  try {
    return reading();
  } catch (error) {
    throw new ConfigError(
      `Cannot read ${shownPath(path)} of communityDirectory: ${fileProblem(error)}; set it to a directory with a folder per protocol, relative to the configuration file, or remove it.`,
    );
  }
}
