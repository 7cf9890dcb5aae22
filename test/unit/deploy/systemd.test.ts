import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../../runtime/config/load-config.ts";

const units = fileURLToPath(new URL("../../../deploy/systemd/", import.meta.url));
const program = fileURLToPath(new URL("../../../bin/ashlar.js", import.meta.url));
const names = readdirSync(units).filter((name) => /\.(service|socket|timer)$/.test(name));
const services = names.filter((name) => name.endsWith(".service"));
const textOf = (name: string): string => readFileSync(join(units, name), "utf8");
const isInstalled = spawnSync("systemd-analyze", ["--version"]).error === undefined;

/** A root file system with the units, the systemd units they refer to, and the programs they start. */
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), "ashlar-units-"));
  for (const folder of ["etc/systemd", "usr/lib/systemd", "opt/ashlar/bin", "bin", "usr/bin"])
    mkdirSync(join(root, folder), { recursive: true });
  if (isInstalled) cpSync("/lib/systemd/system", join(root, "usr/lib/systemd/system"), { recursive: true, verbatimSymlinks: true });
  cpSync(units, join(root, "etc/systemd/system"), { recursive: true });
  for (const path of ["opt/ashlar/bin/ashlar", "bin/sh", "usr/bin/find"]) writeFileSync(join(root, path), "", { mode: 0o755 });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const analyze = (...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync("systemd-analyze", args, { encoding: "utf8" });
  return { status, output: stdout + stderr };
};

// Debian's package systemd has systemd-analyze.
describe.skipIf(!isInstalled)("systemd-analyze", () => {
  it("finds no problem in the units", () => {
    const { status, output } = analyze("verify", "--man=no", `--root=${root}`, ...names);
    // The distribution's units may name programs that the root does not contain.
    expect(output.split("\n").filter((line) => line.includes("ashlar"))).toEqual([]);
    expect(status).toBe(0);
  });

  it.each(services)("rates the exposure of %s below 3.0", (name) => {
    const { status, output } = analyze("security", "--no-pager", "--offline=true", "--threshold=30", join(units, name));
    expect(output).toMatch(/Overall exposure level for ashlar-\w+\.service: [0-2]\.\d/);
    expect(status).toBe(0);
  });
});

describe("deploy/systemd", () => {
  it.each(services)("%s uses a command and options that the program has", (name) => {
    const [, args = ""] = /\/opt\/ashlar\/bin\/ashlar (.+)/.exec(textOf(name)) ?? [];
    const [command = "", ...others] = args.split(" ");
    const { stdout } = spawnSync(process.execPath, [program, command, "--help"], { encoding: "utf8" });
    expect(stdout).toContain(`Usage: ashlar ${command} `);
    for (const option of others.filter((word) => word.startsWith("--con") || word.startsWith("--work")))
      expect(stdout).toContain(`${option} <`);
  });

  it.each(services)("%s sets environment variables that the program reads", (name) => {
    const folder = join(root, "credentials");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "database-url"), "postgresql://db.internal/ashlar\n");
    writeFileSync(join(folder, "metrics-token"), "sixteen-characters\n");
    const environment = Object.fromEntries(
      Array.from(textOf(name).matchAll(/^Environment=(.+)$/gm), ([, pairs = ""]) => pairs.replaceAll("%d", folder).split(" "))
        .flat()
        .map((pair) => pair.split("=") as [string, string]),
    );
    const { databaseUrl, metrics } = loadConfig(undefined, environment, {}, { workingFolder: root, home: root });
    expect(databaseUrl).toBe("postgresql://db.internal/ashlar");
    const port = { "ashlar-serve.service": 9464, "ashlar-indexer.service": 9465 }[name];
    expect(metrics).toEqual(port === undefined ? undefined : { host: "127.0.0.1", port, bearerToken: "sixteen-characters" });
    for (const [, credential = ""] of textOf(name).matchAll(/%d\/([\w.-]+)/g))
      expect(textOf(name)).toContain(`LoadCredential=${credential}:`);
  });
});
