import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { parentPort, workerData } from "node:worker_threads";

// A thread of its own, because the compiler blocks its thread for seconds. Plain JavaScript, because threads do not inherit the loader of TypeScript.
const require = createRequire(import.meta.url);

/** Reads an import of a package; the files of this folder are part of the input. */
const readImport = (path) => {
  try {
    return { contents: readFileSync(require.resolve(path), "utf8") };
  } catch {
    return { error: `${path} is not installed` };
  }
};

parentPort.postMessage(require("solc").compile(workerData, { import: readImport }));
