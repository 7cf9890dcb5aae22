import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";

/** The text of a file that a chain's setting names. @throws {ConfigError} where it cannot be read. */
export function readConfiguredFile(chain: string, setting: "tokenListFile" | "labelsFile" | "abiFiles", file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = reasons.get(code ?? "") ?? code ?? "unknown reason";
    throw new ConfigError(
      `${setting} of chain ${chain}: cannot read ${file} (${reason}); set it to the path of a readable file, relative to the configuration file, or remove it.`,
    );
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "no such file"],
  ["EACCES", "permission denied"],
  ["EISDIR", "it is a directory"],
]);
