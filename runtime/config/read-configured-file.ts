import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";
import { fileProblem } from "./file-problem.ts";

/** Reads the file that a chain's setting names. @throws {ConfigError} if it cannot be read. */
export function readConfiguredFile(chain: string, setting: "tokenListFile" | "labelsFile" | "abiFiles", file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(
      `Invalid value "${file}" for ${setting} of chain ${chain}: ${fileProblem(error)}; set it to the path of a readable file, relative to the configuration file, or remove it.`,
    );
  }
}
