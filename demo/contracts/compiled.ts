import { readFileSync, writeFileSync } from "node:fs";
import type { Artifact } from "./artifact.ts";

/** Committed, so that the first start of the demo does not wait for the compiler; a test compares it with the sources. */
const file = new URL("./compiled.json", import.meta.url);

/** Reads the compiled contracts of this folder, and returns a lookup by name. */
export function readCompiled(): (name: string) => Artifact {
  const artifacts = JSON.parse(readFileSync(file, "utf8")) as Record<string, Artifact>;
  return (name) => {
    const artifact = artifacts[name];
    if (artifact === undefined) throw new Error(`The demo has no contract named ${name}`);
    return artifact;
  };
}

/** Writes the compiled contracts, one per line. */
export function writeCompiled(artifacts: Readonly<Record<string, Artifact>>): void {
  const lines = Object.entries(artifacts).map(([name, artifact]) => `${JSON.stringify(name)}: ${JSON.stringify(artifact)}`);
  writeFileSync(file, `{\n${lines.join(",\n")}\n}\n`);
}
