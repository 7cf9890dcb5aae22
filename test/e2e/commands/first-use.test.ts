import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createKeys } from "../../../runtime/http/keys.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createCommandRunner } from "../../support/commands/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { program } from "../../support/program.ts";
import { until } from "../../support/until.ts";

let folder: string;
let testDatabase: TestDatabase;
let chain: TestChain;
const head = 5;
const receiver = "0x00000000000000000000000000000000000000ee";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashlar-first-use-"));
  [testDatabase, chain] = await Promise.all([createTestDatabase(), startTestChain()]);
  for (let block = 0; block < head; block += 1) {
    await chain.send({ to: receiver, value: 7n, gas: 21_000n });
    await chain.mine();
  }
  return async () => {
    await Promise.all([testDatabase.drop(), chain.stop()]);
    await rm(folder, { recursive: true });
  };
});

const { run, runToExit } = createCommandRunner(() => ({ folder, url: testDatabase.url }));
const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
const runUntilOutput = async (args: readonly string[], pattern: RegExp): Promise<void> => {
  const running = run(args);
  await until("the output or the exit", () => pattern.test(running.output()) || hasExited(running.child));
  running.child.kill("SIGTERM");
  expect(await running.exited, running.output()).toBe(0);
  expect(running.output()).toMatch(pattern);
};

describe("ashlar start", () => {
  it("exits with 1 if a preset's node serves a different chain", async () => {
    const [code, output] = await runToExit(["start", "--chain", "eth-mainnet", "--rpc", chain.url]);
    expect(code).toBe(1);
    expect(output).toBe(
      "The node of eth-mainnet reports chain id 31337, expected 1: set rpc (--rpc) to a node of chain 1, or choose a name other than eth-mainnet for chain 31337.\n",
    );
  });

  it("exits with 1 if the first block is above the head, with and without an index", async () => {
    const message = `Cannot index mine from block 99: the node's head is block ${head}; set from (--from) to ${head} or less.\n`;
    const args = ["start", "--chain", "mine", "--rpc", chain.url];
    expect(await runToExit([...args, "--from", "99"])).toEqual([1, message]);
    await runUntilOutput(args, /mine is indexed up to its head, block 5/);
    expect(await runToExit([...args, "--from", "99"])).toEqual([1, message]);
  });

  it("serves balances of past blocks on a chain without a preset", async () => {
    const { key } = await createKeys(testDatabase.database).create({ label: "test" });
    const running = run(["start", "--chain", "mine", "--rpc", chain.url]);
    await until("the index to reach the head", () => /indexed up to its head/.test(running.output()) || hasExited(running.child));
    const url = /is listening at (\S+);/.exec(running.output())?.[1];
    const response = await fetch(`${url}/v1/mine/address/${receiver}/historical_balances/?block-height=3&key=${key}`);
    const { data, error_message } = (await response.json()) as {
      data: { items: { balance: string }[] } | null;
      error_message: string | null;
    };
    expect(error_message).toBeNull();
    const reported = BigInt(await chain.rpc<string>("eth_getBalance", [receiver, "0x3"]));
    expect(data?.items.map(({ balance }) => BigInt(balance))).toEqual([reported]);
    // Three payments of 7.
    expect(reported).toBe(21n);
    running.child.kill("SIGTERM");
    await running.exited;
  });

  it("logs that an indexed chain was renamed", async () => {
    await runUntilOutput(
      ["start", "--chain", "other", "--rpc", chain.url],
      /Chain 31337 was named mine in this index and is now named other: its paths start with \/v1\/other\/\./,
    );
  });
});

describe("ashlar audit", () => {
  it("uses the only configured chain without --chain", async () => {
    await writeFile(join(folder, "ashlar.yaml"), `chains: [{ name: other, rpc: "${chain.url}" }]`);
    const [code, output] = await runToExit(["audit"]);
    expect([code, output]).toEqual([0, expect.stringMatching(/^other up to block 5\n/)]);
  });

  it("lists the configured chains if --chain is missing and there are several, and the indexed ones if none is configured", async () => {
    await writeFile(join(folder, "ashlar.yaml"), "chains: [{ name: one, id: 7 }, { name: two, id: 8 }]");
    expect(await runToExit(["audit"])).toEqual([1, "Several chains are configured (one, two); choose one with --chain NAME.\n"]);
    await rm(join(folder, "ashlar.yaml"));
    expect(await runToExit(["audit"])).toEqual([
      1,
      "No chain is configured (indexed: other); add one to ashlar.yaml under chains, or pass --chain NAME --rpc URL.\n",
    ]);
  });
});

describe("a closed output pipe", () => {
  it.each([["doctor", "--rpc", "NODE"], ["rules"]])("does not make ashlar %s fail", async (...args) => {
    const child = spawn(process.execPath, [program, ...args.map((arg) => (arg === "NODE" ? chain.url : arg))], {
      cwd: folder,
      stdio: ["ignore", "pipe", "pipe"],
    });
    // Without a reader, the first write fails with EPIPE.
    child.stdout.destroy();
    let errors = "";
    child.stderr.on("data", (part: Buffer) => (errors += part.toString()));
    expect([(await once(child, "close"))[0], errors]).toEqual([0, ""]);
  });
});
