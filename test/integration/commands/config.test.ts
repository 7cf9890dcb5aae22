import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type ConfigOverrides, loadConfig } from "../../../runtime/config/load.ts";

let folder: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashlar-config-"));
  return () => rm(folder, { recursive: true });
});

async function write(text: string): Promise<string> {
  count += 1;
  const file = join(folder, `${count}.yaml`);
  await writeFile(file, text);
  return file;
}

/** What is wrong, a line a fault, without the folder. */
function faultsOf(file: string | undefined, environment: NodeJS.ProcessEnv = {}, overrides: ConfigOverrides = {}): string[] {
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
  it("takes the environment over the file and the command line over both", async () => {
    const file = await write(`port: 1\nlogLevel: error\nchains:\n  - { name: one, rpc: "${node}", from: 3, nativeAccounting: none }\n`);
    const config = loadConfig(file, { PORT: "0", ASHLAR_LOG_LEVEL: "" }, { chain: "one", from: 9 });
    expect([config.port, config.logLevel, config.chains.length]).toEqual([0, "error", 1]);
    expect(config.chains[0]).toMatchObject({ name: "one", rpc: node, from: 9, nativeAccounting: "none" });
    const [other] = loadConfig(file, {}, { chain: "two", rpc: "http://127.0.0.1:2" }).chains;
    expect(other).toMatchObject({ name: "two", rpc: "http://127.0.0.1:2", from: 0, nativeAccounting: "state" });
  });

  it("may have several chains whose ids their nodes will tell", async () => {
    const file = await write(`chains:\n  - { name: one, rpc: "${node}" }\n  - { name: two, rpc: "${node}" }\n`);
    expect(loadConfig(file, {}).chains.map(({ name }) => name)).toEqual(["one", "two"]);
  });

  it("has each name and each id once", async () => {
    const names = await write("chains:\n  - { name: one }\n  - { name: one }\n");
    expect(faultsOf(names)).toEqual([`${count}.yaml: Duplicate chain one; configure each name and each id once.`]);
    const ids = await write("chains:\n  - { name: one, id: 5 }\n  - { name: two, id: 5 }\n");
    expect(faultsOf(ids)).toEqual([`${count}.yaml: Duplicate chain two (5); configure each name and each id once.`]);
  });

  it("that is wrong says every fault and where it comes from, and no secret", async () => {
    const file = await write(`nope: 1\ntrustedProxies: [loopback, 10.0.0.0/8, "::1", elsewhere]\nlimits: { urlBytes: 0 }\n`);
    const environment = { PORT: "80x", ASHLAR_LOG_LEVEL: "loud" };
    const faults = faultsOf(file, environment, { chain: "Main", rpc: "ftp://user:secret@127.0.0.1/key" });
    expect(faults.map((fault) => fault.slice(0, fault.indexOf(": "))).sort()).toEqual(
      ["--chain", "--rpc", `${count}.yaml:3:21 limits.urlBytes`, `${count}.yaml:1:1 nope`, `${count}.yaml:2:47 trustedProxies.3`]
        .concat(["ASHLAR_LOG_LEVEL", "PORT"])
        .sort(),
    );
    expect(faults.join(" ")).toContain("PORT: a port from 0 to 65535 is accepted");
    expect(faults.join(" ")).not.toMatch(/secret|127\.0\.0\.1/);
  });

  it("of broken YAML says where it is broken", async () => {
    expect(faultsOf(await write("port: 1\nchains: [\n"))).toEqual([expect.stringMatching(/^\d+\.yaml:3:1 /)]);
    expect(faultsOf(await write("port: *elsewhere\n"))).toEqual([expect.stringMatching(/^\d+\.yaml: Unresolved alias/)]);
    expect(faultsOf(await write("- 1\n"))).toEqual([`${count}.yaml: a map of settings is expected.`]);
  });

  it("that is not there or no file is refused in a sentence", () => {
    expect(faultsOf(join(folder, "none.yaml"))).toEqual(["none.yaml does not exist; give the path of a configuration file."]);
    expect(faultsOf(folder)).toEqual([`${folder} cannot be read (EISDIR).`]);
  });

  it("names a chain for --rpc and --from, and a node for a chain that is not in the file", async () => {
    const file = await write("chains:\n  - { name: one }\n");
    expect(faultsOf(file, {}, { rpc: node })).toEqual([expect.stringMatching(/^--rpc was given without --chain/)]);
    expect(faultsOf(file, {}, { from: 5 })).toEqual([expect.stringMatching(/^--from was given without --chain/)]);
    expect(faultsOf(file, {}, { chain: "two" })).toEqual([expect.stringMatching(/^--chain two is not configured \(configured: one\)/)]);
  });
});
