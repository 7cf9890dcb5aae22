import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../../../runtime/config/load-config.ts";

let home: string;
let project: string;
let inner: string;

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "ashlar-project-")));
  project = join(home, "project");
  inner = join(project, "deploy", "scripts");
  await mkdir(inner, { recursive: true });
  return () => rm(home, { recursive: true });
});

const load = (from: string, path?: string, environment: NodeJS.ProcessEnv = {}) =>
  loadConfig(path, environment, {}, { workingFolder: from, home });

describe("the project folder", () => {
  it("is the nearest enclosing folder with ashlar.yaml; paths in the file are relative to it", async () => {
    const settings =
      "dataDirectory: data\nrulesFile: rules/own.yaml\n" +
      'chains: [{ name: one, labelsFile: labels.csv, tokenListFile: tokens.json, abiFiles: [a.json, "/abs/b.json"] }]\n';
    await writeFile(join(project, "ashlar.yaml"), settings);
    const config = load(inner);
    expect(config.dataDirectory).toBe(join(project, "data"));
    expect(config.rulesFile).toBe(join(project, "rules", "own.yaml"));
    expect(config.chains[0]).toMatchObject({
      name: "one",
      labelsFile: join(project, "labels.csv"),
      tokenListFile: join(project, "tokens.json"),
      abiFiles: [join(project, "a.json"), "/abs/b.json"],
    });
  });

  it("contains the database unless ashlar.yaml configures another location", async () => {
    await writeFile(join(project, "ashlar.yaml"), "port: 7\n");
    expect(load(inner)).toMatchObject({ port: 7, dataDirectory: join(project, ".ashlar") });
    await rm(join(project, "ashlar.yaml"));
    expect(load(inner).dataDirectory).toBe(join(inner, ".ashlar"));
    await mkdir(join(project, ".ashlar"));
    expect(load(inner).dataDirectory).toBe(join(project, ".ashlar"));
  });

  it("is a folder with its own database, even if a folder above it has a configuration", async () => {
    await writeFile(join(project, "ashlar.yaml"), "port: 7\n");
    await mkdir(join(inner, ".ashlar"));
    expect(load(inner)).toMatchObject({ port: 8080, dataDirectory: join(inner, ".ashlar") });
  });

  it("is not searched for above the home directory or in world-writable folders", async () => {
    await writeFile(join(home, "ashlar.yaml"), "port: 7\n");
    expect(load(inner).port).toBe(7);
    expect(loadConfig(undefined, {}, {}, { workingFolder: inner, home: project }).port).toBe(8080);
    await chmod(home, 0o777);
    expect(load(inner).port).toBe(8080);
    expect(load(home).port).toBe(7);
  });

  it("is overridden by --config and ASHLAR_DATA_DIR; paths in variables are relative to the working folder", async () => {
    await writeFile(join(project, "ashlar.yaml"), "dataDirectory: data\n");
    expect(load(inner, undefined, { ASHLAR_DATA_DIR: "elsewhere" }).dataDirectory).toBe(join(inner, "elsewhere"));
    await writeFile(join(project, "other.yaml"), "rulesFile: rules.yaml\n");
    const selected = load(inner, "../../other.yaml");
    expect(selected).toMatchObject({ rulesFile: join(project, "rules.yaml"), dataDirectory: join(project, ".ashlar") });
    await rm(join(project, "ashlar.yaml"));
    expect(load(inner, "../../other.yaml").dataDirectory).toBe(join(inner, ".ashlar"));
  });

  it("appears in messages as a path relative to the working folder", async () => {
    await writeFile(join(project, "ashlar.yaml"), "prt: 7\n");
    expect(() => load(inner)).toThrow("../../ashlar.yaml:1:1: Unknown setting prt: did you mean port?");
  });
});
