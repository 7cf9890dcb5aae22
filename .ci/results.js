/**
 * Reads Vitest's JSON reports.
 *
 *     node .ci/results.js files REPORT LOG    prints the test files that failed or raised errors outside of tests, one per line;
 *                                             nothing if there is no report or if an error's file is unknown
 *     node .ci/results.js summary REPORT...   lists the failed tests and counts all tests; exits with 1 if a test failed or none passed
 *
 * A report `NAME.json` may have a `NAME-rerun.json` beside it, from a second run of the files that failed; its results replace
 * those of the first run.
 */
import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

const print = (line) => process.stdout.write(`${line}\n`);
const read = (report) => (existsSync(report) ? JSON.parse(readFileSync(report, "utf8")).testResults : undefined);
const failedFiles = (files) => files.filter((file) => file.status !== "passed");

/** One line for each failed test in the files, and for each file that failed without a failed test. */
const failures = (files) =>
  failedFiles(files).flatMap((file) => {
    const name = relative(process.cwd(), file.name);
    const failed = file.assertionResults.filter((test) => test.status === "failed").map((test) => `${name}: ${test.fullName}`);
    return failed.length > 0 ? failed : [`${name}: ${file.message.split("\n")[0] || "no test ran"}`];
  });

function summary(reports) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  const list = (title, lines) => {
    if (lines.length > 0) print([title, ...lines.map((line) => `  ${line}`)].join("\n"));
  };
  for (const report of reports) {
    const first = read(report);
    if (first === undefined) {
      count.failed += 1;
      print(`No report ${report}: the test run did not finish.`);
      continue;
    }
    const rerun = read(report.replace(/\.json$/, "-rerun.json")) ?? [];
    const repeated = new Set(rerun.map((file) => file.name));
    const files = [...first.filter((file) => !repeated.has(file.name)), ...rerun];
    const finalFailures = failures(files);
    list("Failed:", finalFailures);
    list("Failed once, passed in a second run:", rerun.length > 0 ? failures(first).filter((line) => !finalFailures.includes(line)) : []);
    const tests = files.flatMap((file) => file.assertionResults);
    count.passed += tests.filter((test) => test.status === "passed").length;
    count.failed += finalFailures.length;
    count.skipped += tests.filter((test) => test.status === "pending" || test.status === "skipped").length;
  }
  print(`${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ""}`);
  return count.passed > 0 && count.failed === 0;
}

/** Files that failed or raised errors outside of tests. Reports lack these errors; Vitest's output names their files. */
function filesToRepeat(report, log) {
  const output = stripVTControlCharacters(readFileSync(log, "utf8"));
  const origins = [...output.matchAll(/^This error originated in "(.+)" test file\./gm)].map(([, file]) => file);
  const errors = Number(/^Vitest caught (\d+) unhandled errors? during the test run/m.exec(output)?.[1] ?? 0);
  const files = read(report);
  if (files === undefined || errors !== origins.length) return [];
  return [...new Set([...failedFiles(files).map(({ name }) => relative(process.cwd(), name)), ...origins])];
}

const [command, ...reports] = process.argv.slice(2);
if (command === "files") {
  for (const file of filesToRepeat(...reports)) print(file);
} else {
  process.exitCode = summary(reports) ? 0 : 1;
}
