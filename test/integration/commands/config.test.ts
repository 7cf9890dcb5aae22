import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type ConfigOverrides, loadConfig } from "../../../runtime/config/load-config.ts";

let folder: string;
let fileNumber = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashlar-config-"));
  return () => rm(folder, { recursive: true });
});

async function write(text: string): Promise<string> {
  fileNumber += 1;
  const file = join(folder, `${fileNumber}.yaml`);
  await writeFile(file, text);
  return file;
}

/** The lines of the error message, with paths relative to the folder. */
function errorsOf(file: string | undefined, environment: NodeJS.ProcessEnv = {}, overrides: ConfigOverrides = {}): string[] {
  try {
    loadConfig(file, environment, overrides);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ name: "ConfigError" });
    return (error as Error).message.replaceAll(`${folder}/`, "").split("\n");
  }
}

const node = "http://user:secret@127.0.0.1:1/key";

describe("a configuration", () => {
  it("prefers environment variables to the file, and command-line options to both", async () => {
    const file = await write(`port: 1\nlogLevel: error\nchains:\n  - { name: one, rpc: "${node}", from: 3, nativeAccounting: none }\n`);
    const config = loadConfig(file, { PORT: "0", ASHLAR_LOG_LEVEL: "" }, { chain: "one", from: 9 });
    expect([config.port, config.logLevel, config.chains.length]).toEqual([0, "error", 1]);
    expect(config.chains[0]).toMatchObject({ name: "one", rpc: node, from: 9, nativeAccounting: "none" });
    const [other] = loadConfig(file, {}, { chain: "two", rpc: "http://127.0.0.1:2" }).chains;
    expect(other).toMatchObject({ name: "two", rpc: "http://127.0.0.1:2", from: 0, nativeAccounting: "state" });
  });

  it("may have several chains whose ids are read from their nodes", async () => {
    const file = await write(`chains:\n  - { name: one, rpc: "${node}" }\n  - { name: two, rpc: "${node}" }\n`);
    expect(loadConfig(file, {}).chains.map(({ name }) => name)).toEqual(["one", "two"]);
  });

  it("rejects duplicate chain names and ids", async () => {
    const names = await write("chains:\n  - { name: one }\n  - { name: one }\n");
    expect(errorsOf(names)).toEqual([`${fileNumber}.yaml: Duplicate chain one; configure each name and each id once.`]);
    const ids = await write("chains:\n  - { name: one, id: 5 }\n  - { name: two, id: 5 }\n");
    expect(errorsOf(ids)).toEqual([`${fileNumber}.yaml: Duplicate chain two (5); configure each name and each id once.`]);
  });

  it("reports every invalid setting with its location, and without secrets", async () => {
    const file = await write(`nope: 1\ntrustedProxies: [loopback, 10.0.0.0/8, "::1", elsewhere]\nlimits: { urlBytes: 0 }\n`);
    const environment = { PORT: "80x", ASHLAR_LOG_LEVEL: "loud" };
    const errors = errorsOf(file, environment, { chain: "Main", rpc: "ftp://user:secret@127.0.0.1/key" });
    expect(errors.map((error) => error.slice(0, error.lastIndexOf(": "))).sort()).toEqual(
      [
        'Invalid value "Main" for --chain',
        "Invalid value for --rpc",
        `${fileNumber}.yaml:3:21: Invalid value 0 for limits.urlBytes`,
        `${fileNumber}.yaml:1:1: Unknown setting nope`,
        `${fileNumber}.yaml:2:47: Invalid value "elsewhere" for trustedProxies.3`,
        'Invalid value "loud" for ASHLAR_LOG_LEVEL',
        'Invalid value "80x" for PORT',
      ].sort(),
    );
    expect(errors.join(" ")).toContain("for PORT: expected a port from 0 to 65535.");
    expect(errors.join(" ")).not.toMatch(/secret|127\.0\.0\.1/);
  });

  it("reports the position of invalid YAML", async () => {
    expect(errorsOf(await write("port: 1\nchains: [\n"))).toEqual([expect.stringMatching(/^\d+\.yaml:3:1: Invalid YAML: /)]);
    expect(errorsOf(await write("port: *elsewhere\n"))).toEqual([expect.stringMatching(/^\d+\.yaml: Invalid YAML: Unresolved alias/)]);
    expect(errorsOf(await write("- 1\n"))).toEqual([`${fileNumber}.yaml: Invalid configuration: expected a map of settings.`]);
  });

  it("is rejected if its path is not a file", () => {
    expect(errorsOf(join(folder, "none.yaml"))).toEqual([
      'Invalid value "none.yaml" for --config: no such file; pass the path of a configuration file.',
    ]);
    expect(errorsOf(folder)).toEqual([
      `Cannot read the configuration file ${folder}: it is a directory; pass the path of a readable YAML file.`,
    ]);
  });

  it("requires --chain for --rpc and --from, and a node for a chain that is not in the file", async () => {
    const file = await write("chains:\n  - { name: one }\n");
    expect(errorsOf(file, {}, { rpc: node })).toEqual([expect.stringMatching(/^Missing option --chain: --rpc requires it/)]);
    expect(errorsOf(file, {}, { from: 5 })).toEqual([expect.stringMatching(/^Missing option --chain: --from requires it/)]);
    expect(errorsOf(file, {}, { chain: "two" })).toEqual([
      expect.stringMatching(/^Invalid value "two" for --chain: expected a configured chain \(one\)/),
    ]);
  });
});
