#!/usr/bin/env node
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

// A clone runs its sources, so that edits take effect without a build; an installed package contains only the build.
const source = new URL("../runtime/cli.ts", import.meta.url);
if (existsSync(fileURLToPath(source))) {
  const { register } = await import("tsx/esm/api");
  register();
  await import(source.href);
} else {
  await import(new URL("../dist/runtime/cli.js", import.meta.url).href);
}
