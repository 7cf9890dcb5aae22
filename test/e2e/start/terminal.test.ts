import { execFile, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { program } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { screenAfter } from "./screen.ts";
import { isGone, npmFolder, prepareData, type ServiceOptions, type ServiceProcess, startService } from "./service-process.ts";

const run = promisify(execFile);

/** A chain with one transfer, in block 1. */
let chain: TestChain;
/** More blocks than one batch, enough to draw a progress bar. */
let longChain: TestChain;
beforeAll(prepareData);
beforeAll(async () => {
  [chain, longChain] = await Promise.all([startTestChain(), startTestChain()]);
  await longChain.rpc("anvil_mine", ["0xbb8"]);
  for (const testChain of [chain, longChain]) {
    const [from = "0x", to = "0x"] = testChain.accounts;
    await testChain.send({ from, to, value: 12_345n });
    await testChain.mine();
  }
  return () => Promise.all([chain.stop(), longChain.stop()]);
});

/** Starts the service on a pseudo-terminal that util-linux's `script` opens. */
const startOnTerminal = (
  args: readonly string[],
  { node = chain, ...options }: Omit<ServiceOptions, "command" | "parameters"> & { readonly node?: TestChain } = {},
): Promise<ServiceProcess> =>
  startService(node.url, {
    command: "bash",
    parameters: ["-c", 'exec script -qefc "stty cols 100; exec $0 $*" /dev/null', ...args],
    ...options,
  });
const start = [process.execPath, program, "start"];
const waitUntilReady = (service: ServiceProcess) =>
  until("the ready message", async () => /then try .*\n\r?\n/.test(service.output().replaceAll("\r", "")));
/** The line reaches the terminal through the indexer's process, before or after the ready message. */
const waitUntilHeadIsLogged = (service: ServiceProcess) =>
  until("the log line of the head", async () => service.output().includes("own is indexed up to"));
const hasColour = (text: string): boolean => text.includes("\u001b[3");

/** Sends the ready message's example request, with a key created by its command. */
async function sendExampleRequest(service: ServiceProcess, folder: string): Promise<{ url: string; items: Record<string, string>[] }> {
  const lines = service.output().replaceAll("\r", "").split("\n");
  const command = (label: string): string => lines.find((line) => line.startsWith(`  ${label} `))?.slice(17) ?? "";
  const { stdout: created } = await run("bash", ["-c", command("create a key")], { cwd: folder });
  const key = /ckey_[0-9a-f]{27}/.exec(created)?.[0] ?? "";
  const curl = command("then try").replace("YOUR_KEY", key);
  const { stdout: response } = await run("bash", ["-c", curl.replace("curl", "curl -sS")]);
  return {
    url: /http\S+(?=")/.exec(curl)?.[0] ?? "",
    items: (JSON.parse(response) as { data: { items: Record<string, string>[] } }).data.items,
  };
}

describe.skipIf(spawnSync("bash", ["-c", "script --version"]).status !== 0)(
  "ashlar start on a terminal (needs the program script of util-linux)",
  () => {
    it("prints coloured text lines, clears its progress bars, and ends with the next steps", async () => {
      const service = await startOnTerminal(start, { node: longChain });
      await waitUntilReady(service);
      await waitUntilHeadIsLogged(service);
      const text = service.output();
      expect(text).toMatch(/[█░]/);
      expect(hasColour(text)).toBe(true);
      expect(text).not.toContain('{"level"');
      const screen = screenAfter(text);
      expect(screen.filter((line) => /[█░]/.test(line))).toEqual([]);
      expect(screen).toContainEqual(
        expect.stringMatching(/^\[\d\d:\d\d:\d\d\] INFO: own is indexed up to its head, block 3001\. \{"process":"indexer"/),
      );
      const ready = screen.indexOf("Ashlar is ready.");
      expect(screen.slice(ready, ready + 4)).toEqual([
        "Ashlar is ready.",
        `  documentation  ${service.url()}/docs/`,
        expect.stringMatching(/^ {2}create a key {3}\S/),
        expect.stringMatching(/^ {2}then try {7}curl /),
      ]);
      const { url, items } = await sendExampleRequest(service, "/");
      const [sender = "0x"] = longChain.accounts;
      expect(url).toBe(`${service.url()}/v1/own/address/${sender}/balances_v2/`);
      // The expected value comes from the node.
      expect(items[0]?.balance).toBe(BigInt(await longChain.rpc<string>("eth_getBalance", [sender, "latest"])).toString());
    }, 180_000);

    it("respects NO_COLOR and ASHLAR_LOG_FORMAT=json", async () => {
      const service = await startOnTerminal(start, { environment: { NO_COLOR: "1" } });
      await waitUntilReady(service);
      await waitUntilHeadIsLogged(service);
      expect(hasColour(service.output())).toBe(false);
      expect(service.output()).toMatch(/INFO: own is indexed up to/);
      const other = await startOnTerminal(start, { environment: { ASHLAR_LOG_FORMAT: "json" } });
      await waitUntilReady(other);
      await waitUntilHeadIsLogged(other);
      expect(screenAfter(other.output())).toContainEqual(expect.stringMatching(/^\{"level":"info",.*"msg":"own is indexed up to/));
    });

    it("stops when the terminal is closed", async () => {
      const folder = await mkdtemp(join(tmpdir(), "ashlar-hang-up-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      const [preload, exitCode] = [join(folder, "preload.cjs"), join(folder, "exit-code")];
      // Node's teardown may abort when it resets a closed terminal. The exit event reports the program's own exit code, or 1 after a crash.
      const write = `require("fs").writeFileSync(${JSON.stringify(exitCode)}, String(code))`;
      await writeFile(preload, `if (/ashlar\\.js$/.test(process.argv[1])) process.on("exit", (code) => ${write});\n`);
      const service = await startOnTerminal(start, { environment: { NODE_OPTIONS: `--require ${preload}` } });
      const postmaster = service.postmasterPid();
      // Killing `script` closes the terminal.
      service.child.kill("SIGKILL");
      await until("PostgreSQL to exit", async () => isGone(postmaster));
      await expect(fetch(service.url())).rejects.toThrow();
      await until("the exit code", async () => existsSync(exitCode) && readFileSync(exitCode, "utf8") !== "");
      expect(readFileSync(exitCode, "utf8")).toBe("0");
    });

    it("stops gracefully on Ctrl-C if npm started it", async () => {
      const service = await startOnTerminal(["npm", "start", "--"], { folder: npmFolder });
      const postmaster = service.postmasterPid();
      service.child.stdin?.write("\u0003");
      await service.exited;
      expect(service.output()).toMatch(/Stopping \(SIGINT\)\.[\s\S]*Stopped after/);
      expect(isGone(postmaster)).toBe(true);
    });
  },
);

describe("ashlar start without a terminal", () => {
  it("logs JSON, or uncoloured text lines with ASHLAR_LOG_FORMAT=pretty", async () => {
    const service = await startService(chain.url);
    // The index is ready shortly before the line is written.
    const json = /^\{"level":"info","time":"[^"]+","process":"indexer",.*"msg":"own is indexed up to its head, block 1\."\}$/m;
    await until("the JSON line of the index", () => json.test(service.output()));
    const other = await startService(chain.url, { environment: { ASHLAR_LOG_FORMAT: "pretty" } });
    const text = /^\[\d\d:\d\d:\d\d\] INFO: own is indexed up to its head, block 1\. \{"process":"indexer"/m;
    await until("the text line of the index", () => text.test(other.output()));
    expect(hasColour(other.output())).toBe(false);
  });

  it("suggests a request without an address on a chain without transactions", async () => {
    const empty = await startTestChain();
    try {
      const service = await startService(empty.url);
      await waitUntilReady(service);
      const { url, items } = await sendExampleRequest(service, "/");
      expect(url).toBe(`${service.url()}/v1/own/block_v2/latest/`);
      const { hash } = await empty.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false]);
      expect(items[0]?.block_hash).toBe(hash);
    } finally {
      await empty.stop();
    }
  });
});
