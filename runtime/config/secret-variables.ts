import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";
import { fileProblem } from "./file-problem.ts";

/**
 * The value of a secret: of the environment variable NAME, or of the file that NAME_FILE names, without its trailing line break. Containers and service
 * managers pass secrets in such files. Undefined if neither variable is set. @throws {ConfigError} if both are set, or the file cannot be read.
 */
export function readSecret(environment: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = environment[name];
  const file = environment[`${name}_FILE`];
  if (file === undefined || file === "") return text;
  if (text !== undefined && text !== "")
    throw new ConfigError(`${name} and ${name}_FILE are both set: expected one of them; unset the other.`);
  try {
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    throw new ConfigError(`Invalid value "${file}" for ${name}_FILE: ${fileProblem(error)}; set it to the path of a readable file.`);
  }
}
