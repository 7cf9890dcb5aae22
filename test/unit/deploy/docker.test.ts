import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../../../runtime/config/load-config.ts";

const repository = fileURLToPath(new URL("../../../", import.meta.url));
const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const folder = mkdtempSync(join(tmpdir(), "ashlar-docker-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
}
const compose = parse(read("deploy/docker/compose.yaml"), { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: Readonly<Record<string, unknown>>;
};
const ownServices = Object.entries(compose.services).filter(([, { image }]) => image.startsWith("ashlar:"));
const { version } = JSON.parse(read("package.json")) as { version: string };

describe("Dockerfile", () => {
  const lines = read("deploy/docker/Dockerfile").replaceAll("\\\n", "").split("\n");
  const instructions = (name: string): string[] =>
    lines.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []));

  it("has two stages and runs the last one as an unprivileged user", () => {
    expect(instructions("FROM")).toEqual(["node:22-bookworm-slim AS build", "node:22-bookworm-slim"]);
    expect(instructions("USER")).toEqual(["node"]);
  });

  it("copies files that exist and are not ignored", () => {
    const allowed = read(".dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    const copied = instructions("COPY")
      .filter((args) => !args.startsWith("--from"))
      .flatMap((args) => args.split(" ").slice(0, -1));
    expect([...new Set(copied)].sort()).toEqual(allowed.sort());
    expect(copied.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  });

  it("checks the server's health at a path that it serves", () => {
    const [healthcheck = ""] = instructions("HEALTHCHECK");
    expect(healthcheck).toContain("'/healthz'");
    expect(read("runtime/http/health.ts")).toContain('router.get("/healthz"');
    const [, , script = ""] = JSON.parse(healthcheck.slice(healthcheck.indexOf("["))) as string[];
    const { status } = spawnSync(process.execPath, ["-e", script], { env: { PORT: "1" } });
    expect(status).toBe(1);
  });
});

describe("compose.yaml", () => {
  it("has two servers, an indexer and a migration with the version in package.json", () => {
    expect(ownServices.map(([name]) => name)).toEqual(["server-1", "server-2", "indexer", "migrate"]);
    expect(ownServices.filter(([, { image }]) => image !== `ashlar:${version}`)).toEqual([]);
  });

  it.each(ownServices)("runs %s without privileges, on a read-only file system", (_, { read_only, cap_drop }) => {
    expect({ read_only, cap_drop }).toEqual({ read_only: true, cap_drop: ["ALL"] });
  });

  it.each(ownServices)(
    "starts %s with a command, options and environment variables that the program has",
    (_, { command: [command = "", ...options] = [], ...service }) => {
      const { stdout } = spawnSync(process.execPath, [join(repository, "bin/ashlar.js"), command, "--help"], { encoding: "utf8" });
      expect(stdout).toContain(`Usage: ashlar ${command} `);
      for (const option of options.filter((word) => word.startsWith("--"))) expect(stdout).toContain(`${option} <`);
      writeFileSync(join(folder, "database-url"), "postgresql://postgres/ashlar");
      writeFileSync(join(folder, "metrics-token"), "sixteen-characters\n");
      const environment = Object.fromEntries(
        Object.entries(service.environment ?? {}).map(([name, value]) => [name, value.replace("/run/secrets", folder)]),
      );
      expect(loadConfig(undefined, environment, {}, { workingFolder: folder, home: folder })).toMatchObject({
        databaseUrl: "postgresql://postgres/ashlar",
        metrics: { host: "0.0.0.0", port: 9464, bearerToken: "sixteen-characters" },
      });
    },
  );

  it("declares every secret that a service reads, and passes it to that service", () => {
    for (const { command = [], environment = {}, secrets = [] } of Object.values(compose.services)) {
      const files = [...command, ...Object.values(environment)].filter((text) => text.startsWith("/run/secrets/"));
      expect(secrets).toEqual(expect.arrayContaining(files.map((file) => file.slice("/run/secrets/".length))));
      expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining([...secrets]));
    }
  });

  it.skipIf(spawnSync("promtool", ["--version"]).error !== undefined)("configures Prometheus", () => {
    const { status, stdout, stderr } = spawnSync(
      "promtool",
      ["check", "config", "--syntax-only", join(repository, "deploy/docker/prometheus.yaml")],
      { encoding: "utf8" },
    );
    expect(stdout + stderr).toContain("SUCCESS");
    expect(status).toBe(0);
  });
});
