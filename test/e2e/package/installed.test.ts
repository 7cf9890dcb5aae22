import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { until } from "../../support/until.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** Packs the package and installs it without development dependencies in an empty folder, as users do. */
describe("the installed package", () => {
  let folder: string;
  let testDatabase: TestDatabase;
  let chain: TestChain;
  let environment: NodeJS.ProcessEnv;
  const ashlar = (...parameters: string[]) => run(join(folder, "node_modules/.bin/ashlar"), parameters, { cwd: folder, env: environment });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-package-"));
    [testDatabase, chain] = await Promise.all([createTestDatabase({ migrated: false }), startTestChain()]);
    environment = { ...process.env, DATABASE_URL: testDatabase.url, PORT: "0", NODE_ENV: "production" };
    await run("npm", ["pack", "--pack-destination", folder], { cwd: repository });
    const [archive] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
    await run("npm", ["install", "--omit=dev", "--no-audit", "--no-fund", `./${archive}`], { cwd: folder });
  });
  afterAll(async () => {
    await chain?.stop();
    await testDatabase?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it("migrates, indexes a chain and serves it", async () => {
    expect((await ashlar("migrate")).stdout).toContain("0001-ledger");
    expect((await ashlar("migrate")).stdout).toContain("up to date");
    const key = /ckey_[a-f0-9]{27}/.exec((await ashlar("keys", "create", "--label", "package")).stdout)?.[0];
    for (let block = 0; block < 3; block++) await chain.mine();

    const started = spawn(join(folder, "node_modules/.bin/ashlar"), ["start", "--chain", "some-chain", "--rpc", chain.url], {
      cwd: folder,
      env: environment,
    });
    let output = "";
    started.stdout.on("data", (part: Buffer) => (output += part.toString()));
    const exited = once(started, "exit");
    try {
      await until("the server to start", async () => /http:\/\/\S+/.test(output));
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      await until("the service to be ready", async () => (await fetch(`${url}/readyz`)).ok);
      const head = await chain.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false]);
      const response = await fetch(`${url}/v1/some-chain/block_v2/latest/`, { headers: { authorization: `Bearer ${key}` } });
      const body = (await response.json()) as { data: { items: { block_hash: string }[] } };
      expect(body.data.items[0]?.block_hash).toBe(head.hash);
    } finally {
      started.kill("SIGTERM");
      await exited;
    }
    expect(started.exitCode).toBe(0);
  });

  it("reports that the demo needs a clone", async () => {
    const failure = await ashlar("start").then(
      () => null,
      (error: { stderr: string; code: number }) => error,
    );
    expect(failure?.code).toBe(1);
    const output = failure?.stderr.replace(/^Database: .*\n/m, "") ?? "";
    expect(output.trim().split("\n")).toHaveLength(1);
    expect(output.trim()).toBe(
      "The demo is not part of the installed package: clone the repository to run it, or pass a node with --rpc URL --chain NAME.",
    );
  });
});
