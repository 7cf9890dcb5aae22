import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Command, CommanderError } from "commander";
import { OutputError } from "./output/output-error.ts";
import { type Outcome, runCheck, runWrite } from "./output/run.ts";

interface Options {
  readonly check?: true;
  readonly watch?: true;
  readonly stubs: boolean;
  readonly root: string;
}

const exitCodes = { success: 0, invalid: 1, usage: 2 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const print = (text: string): unknown => process.stdout.write(`${text}\n`);
const printError = (text: string): unknown => process.stderr.write(`${text}\n`);

const program = new Command("generate")
  .description("Generate generated/ from the catalog in spec/.")
  .option("--check", "write nothing; report the first outdated line of each generated file")
  .option("--watch", "regenerate after each change of the catalog, until interrupted")
  .option("--no-stubs", "do not write stubs for missing resolvers")
  .option("--root <folder>", "the root of the repository", repository)
  .addHelpText("after", "\nExit codes: 0 success, 1 invalid catalog or outdated files, 2 invalid usage or files that cannot be written.")
  .exitOverride();

process.exitCode = await main(process.argv);

async function main(args: readonly string[]): Promise<ExitCode> {
  try {
    const options = program.parse(args).opts<Options>();
    if (options.check && options.watch) program.error("--check and --watch are mutually exclusive.", { exitCode: exitCodes.usage });
    if (options.watch) return await watch(options);
    return report(options.check ? await runCheck(options.root) : await runWrite(options.root, options));
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    printError(describe(error));
    return exitCodes.usage;
  }
}

async function watch(options: Options): Promise<ExitCode> {
  const { watchCatalog } = await import("./output/watch.ts");
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  const run = async (): Promise<void> => {
    await runWrite(options.root, options).then(report, (error: unknown) => printError(describe(error)));
  };
  await run();
  print("Watching spec/.");
  await watchCatalog(options.root, stop.signal, run);
  return exitCodes.success;
}

/** Prints the outcome of a run. */
function report(outcome: Outcome): ExitCode {
  switch (outcome.kind) {
    case "clean":
      print(`${outcome.fileCount} files are up to date.`);
      return exitCodes.success;
    case "written":
      for (const path of outcome.changes.written) print(`wrote ${path}`);
      for (const path of outcome.changes.deleted) print(`deleted ${path}`);
      for (const path of outcome.stubs) print(`wrote ${path}: a stub that responds with 501; implement the resolver in it`);
      for (const path of outcome.updatedIndexPaths) print(`wrote ${path}: registered the new resolver`);
      if (outcome.changes.written.length + outcome.changes.deleted.length === 0) print("Nothing changed.");
      return exitCodes.success;
    case "invalid-catalog":
      for (const message of outcome.messages) printError(message);
      printError(`${counted(outcome.messages.length, "error")} in the catalog; nothing was written.`);
      return exitCodes.invalid;
    case "outdated":
      for (const message of outcome.messages) printError(message);
      printError(`Outdated: ${counted(outcome.messages.length, "file")}; run "npm run generate".`);
      return exitCodes.invalid;
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A file system error's message contains the path and the reason; only bugs in the generator need a stack trace.
  return error instanceof OutputError || "syscall" in error ? error.message : (error.stack ?? error.message);
}
