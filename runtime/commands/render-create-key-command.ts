import { delimiter, isAbsolute, join, relative, resolve } from "node:path";
import process from "node:process";

/** How this process was started. */
export interface Invocation {
  /** The path of the program in process.argv. */
  readonly program: string;
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

const thisProcess = (): Invocation => ({
  program: process.argv[1] ?? "",
  folder: process.cwd(),
  environment: process.env,
  platform: process.platform,
});

/**
 * The shell command that creates a key in this process's database. It works in the folder where npm was called, and uses this process's configuration
 * and data directory. DATABASE_URL is a secret and is not repeated: a second line names the variable.
 */
export function renderCreateKeyCommand(
  configFile: string | undefined,
  { program, folder, environment, platform }: Invocation = thisProcess(),
): string {
  const { INIT_CWD, PATH = "", npm_command, ASHLAR_DATA_DIR, DATABASE_URL } = environment;
  const isWindows = platform === "win32";
  const quote = (argument: string): string => {
    if (/^[\w./:@%+=,~\\-]+$/.test(argument) && (isWindows || !argument.includes("\\"))) return argument;
    return isWindows ? `"${argument}"` : `'${argument.replaceAll("'", "'\\''")}'`;
  };
  // npm sets INIT_CWD to the folder where it was called, and changes to the package's folder.
  const isElsewhere = npm_command !== undefined && INIT_CWD !== undefined && resolve(INIT_CWD) !== resolve(folder);
  const isOnPath =
    npm_command === undefined && PATH.split(delimiter).some((entry) => isAbsolute(entry) && join(entry, "ashlar") === program);
  const relativePath = relative(folder, program);
  const file = relativePath.startsWith("..") ? program : relativePath;
  const parts = [
    ...(isOnPath ? ["ashlar"] : ["node", file]),
    "keys",
    "create",
    "--label",
    "my-key",
    ...(configFile === undefined ? [] : ["--config", configFile]),
  ];
  // cmd.exe has no syntax for an assignment before a command.
  const assignment =
    ASHLAR_DATA_DIR === undefined || ASHLAR_DATA_DIR === "" || isWindows ? "" : `ASHLAR_DATA_DIR=${quote(ASHLAR_DATA_DIR)} `;
  const command = `${isElsewhere ? `cd ${quote(folder)} && ` : ""}${assignment}${parts.map(quote).join(" ")}`;
  const variables = [
    ...(DATABASE_URL === undefined || DATABASE_URL === "" ? [] : ["DATABASE_URL"]),
    ...(isWindows && ASHLAR_DATA_DIR !== undefined ? ["ASHLAR_DATA_DIR"] : []),
  ];
  return variables.length === 0 ? command : `${command}\n${" ".repeat(17)}with the same ${variables.join(" and ")} as this process`;
}
