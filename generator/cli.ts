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

const exitCodes = { success: 0, wrong: 1, misuse: 2 } as const;
type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

const repository = dirname(dirname(fileURLToPath(import.meta.url)));
const print = (text: string): unknown => process.stdout.write(`${text}\n`);
const printError = (text: string): unknown => process.stderr.write(`${text}\n`);

const program = new Command("generate")
  .description("Writes generated/ from the catalog in spec/.")
  .option("--check", "write nothing, and name the first line of each generated file that is not what the catalog gives")
  .option("--watch", "write again after each change of the catalog, until interrupted")
  .option("--no-stubs", "write no stubs of missing resolvers")
  .option("--root <folder>", "the repository", repository)
  .addHelpText(
    "after",
    "\nExit codes: 0 done or clean, 1 a wrong catalog or files that differ, 2 wrong use or files that cannot be written.",
  )
  .exitOverride();

process.exitCode = await main(process.argv);

async function main(words: readonly string[]): Promise<ExitCode> {
  try {
    const options = program.parse(words).opts<Options>();
    if (options.check && options.watch) program.error("--check and --watch exclude each other.", { exitCode: exitCodes.misuse });
    if (options.watch) return await watch(options);
    return report(options.check ? await runCheck(options.root) : await runWrite(options.root, options));
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.success : exitCodes.misuse;
    printError(describe(error));
    return exitCodes.misuse;
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

/** Says what came of a run. */
function report(outcome: Outcome): ExitCode {
  switch (outcome.kind) {
    case "clean":
      print(`${outcome.files} files are what the catalog gives.`);
      return exitCodes.success;
    case "written":
      for (const path of outcome.changes.written) print(`wrote ${path}`);
      for (const path of outcome.changes.deleted) print(`deleted ${path}`);
      for (const path of outcome.stubs) print(`wrote ${path}: a stub that answers 501; write the resolver there`);
      for (const path of outcome.registered) print(`wrote ${path}: registered the new resolver`);
      if (outcome.changes.written.length + outcome.changes.deleted.length === 0) print("Nothing changed.");
      return exitCodes.success;
    case "wrong-catalog":
      for (const finding of outcome.findings) printError(finding);
      printError(`${counted(outcome.findings.length, "finding")} in the catalog; nothing was written.`);
      return exitCodes.wrong;
    case "outdated":
      for (const finding of outcome.findings) printError(finding);
      printError(`Not what the catalog gives: ${counted(outcome.findings.length, "file")}; run "npm run generate".`);
      return exitCodes.wrong;
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // What the disk refuses says which path and why; a stack is for a mistake of the generator.
  return error instanceof OutputError || "syscall" in error ? error.message : (error.stack ?? error.message);
}
