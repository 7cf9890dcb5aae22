import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";

// Installs this folder's packages unless they already match its package-lock.json.
const directory = import.meta.dirname;
const wanted = readFileSync(`${directory}/package-lock.json`, "utf8");
const installedFile = `${directory}/node_modules/.installed-lock.json`;
const installed = existsSync(installedFile) ? readFileSync(installedFile, "utf8") : null;

if (installed !== wanted) {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  execFileSync(npm, ["ci", "--prefix", directory, "--ignore-scripts", "--no-audit", "--no-fund"], {
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  writeFileSync(installedFile, wanted);
}
