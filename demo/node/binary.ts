import { createRequire } from "node:module";
import { missingDependency, unsupportedPlatform } from "../errors.ts";

const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

/** Returns the path of anvil's executable for this platform; the package's script would run it as a child process. @throws {DemoUnavailable} */
export const anvilBinary = (): string => {
  if (process.platform === "win32") throw unsupportedPlatform(process.platform);
  const program = `@foundry-rs/anvil-${process.platform}-${architectures[process.arch] ?? process.arch}/bin/anvil`;
  // The platform's package is a dependency of @foundry-rs/anvil, so it is resolved from there.
  const fromHere = createRequire(import.meta.url);
  try {
    return createRequire(fromHere.resolve("@foundry-rs/anvil/package.json")).resolve(program);
  } catch {
    try {
      return fromHere.resolve(program);
    } catch {
      throw missingDependency("@foundry-rs/anvil");
    }
  }
};
