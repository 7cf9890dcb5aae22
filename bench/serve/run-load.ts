import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { LoadArgument, LoadMessage, LoadResult } from "./load/main.ts";

/** Runs a load process; `sample` is called when the measured time begins and when it ends. @throws {Error} if a request fails. */
export function runLoad<T>(
  script: URL,
  argument: LoadArgument,
  sample: () => T,
): Promise<{ readonly result: LoadResult; readonly before: T; readonly after: T }> {
  const child = fork(fileURLToPath(script), { stdio: "inherit" });
  child.send(argument);
  return new Promise((resolve, reject) => {
    let before: T | undefined;
    let measured: { readonly result: LoadResult; readonly before: T; readonly after: T } | undefined;
    child.on("message", (message: LoadMessage) => {
      if (message.kind === "start") before = sample();
      else if (before !== undefined) measured = { result: message.result, before, after: sample() };
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (code !== 0 || measured === undefined) reject(new Error(`The load process exited with code ${code}.`));
      else if (measured.result.requests === 0) reject(new Error("No request was completed in the measured time."));
      else if (measured.result.failures > 0)
        reject(new Error(`${measured.result.failures} of ${measured.result.requests} requests failed.`));
      else resolve(measured);
    });
  });
}
