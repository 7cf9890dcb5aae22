import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { artifacts, startTestChain, type TestChain } from "../../support/chain.ts";
import { program } from "../../support/program.ts";
import { until } from "../../support/until.ts";

const run = promisify(execFile);
const browser = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

interface Service {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  readonly url: string;
  readonly output: () => string;
}

/**
 * A chain's operator, in a shell and in a browser, creates a key with a quota, exhausts and raises the quota, makes a backup, loses the data
 * directory and restores it.
 */
// `.ci/run` installs Debian's chromium if possible; without a browser, this suite is skipped.
describe.skipIf(!existsSync(browser))("an operator's day", () => {
  let folder: string;
  let chain: TestChain;
  let context: BrowserContext;
  let page: Page;
  let service: Service | undefined;
  let key: string;

  const environment = (): NodeJS.ProcessEnv => {
    const { DATABASE_URL: _, ...others } = process.env;
    return { ...others, ASHLAR_LOG_LEVEL: "info" };
  };
  const ashlar = (...parameters: string[]) => run(process.execPath, [program, ...parameters], { cwd: folder, env: environment() });
  const start = async (): Promise<Service> => {
    const child = spawn(process.execPath, [program, "start"], {
      cwd: folder,
      env: environment(),
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    child.stdout.on("data", (part: Buffer) => (output += part.toString()));
    child.stderr.on("data", (part: Buffer) => (output += part.toString()));
    const exited = once(child, "exit");
    await until("the service to be ready", async () => {
      if (child.exitCode !== null) throw new Error(`ashlar start exited with code ${child.exitCode}: ${output}`);
      const url = urlIn(output);
      return url !== undefined && (await fetch(`${url}/readyz`)).ok;
    });
    service = { child, exited, url: urlIn(output) ?? "", output: () => output };
    return service;
  };
  const urlIn = (output: string): string | undefined => /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(output)?.[1];
  const request = (path: string): Promise<Response> =>
    fetch(`${service?.url}/v1/own/${path}`, { headers: { authorization: `Bearer ${key}` }, signal: AbortSignal.timeout(10_000) });
  const balances = async (): Promise<unknown> => {
    const response = await request(`address/${chain.accounts[1]}/balances_v2/`);
    const { data } = (await response.json()) as { data: { items: { contract_address: string; balance: string }[] } };
    return data.items.map(({ contract_address, balance }) => [contract_address, balance]);
  };
  const keyRow = () => page.locator("tr", { hasText: "team" });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-operator-"));
    chain = await startTestChain();
    const settings = ["port: 0", "console: { port: 0 }", "chains:", `  - { name: own, rpc: "${chain.url}", pollMilliseconds: 200 }`];
    await writeFile(join(folder, "ashlar.yaml"), `${settings.join("\n")}\n`);
    const flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
    context = await chromium.launchPersistentContext(join(folder, "browser"), { executablePath: browser, headless: true, args: flags });
    page = await context.newPage();
    page.setDefaultTimeout(20_000);
  });
  afterAll(async () => {
    await context?.close();
    service?.child.kill("SIGTERM");
    await service?.exited;
    await chain?.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it("ends with unchanged responses and an audit without differences", async () => {
    // A token on the operator's chain; one account holds 1,000 units of it.
    const token = await chain.deploy(artifacts.erc20(), ["Own", "OWN"]);
    const [owner, holder] = chain.accounts;
    if (owner === undefined || holder === undefined) throw new Error("The chain has no accounts.");
    const mint = encodeFunctionData({ abi: artifacts.erc20().abi, functionName: "mint", args: [holder, 1_000n] });
    await chain.send({ from: owner, to: token, data: mint, gas: 200_000n });
    for (let block = 0; block < 5; block += 1) await chain.mine();
    await start();

    // Sign in.
    const link = (await ashlar("console", "login")).stdout.split("\n")[0] ?? "";
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();

    // A key with a quota of 2 credits per day.
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Label").fill("team");
    await page.getByLabel("Per UTC day").fill("2");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    key = (await page.locator(".secret").textContent()) ?? "";
    await page.getByRole("button", { name: "Done" }).click();

    // A block costs one credit: the third request is refused with the quota's reset time.
    const statuses: number[] = [];
    let response = await request("block_v2/latest/");
    for (; statuses.length < 10; response = await request("block_v2/latest/")) {
      statuses.push(response.status);
      if (response.status !== 200) break;
    }
    expect(statuses).toEqual([200, 200, 402]);
    const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0));
    expect(await response.text()).toContain(midnight.toISOString().slice(0, 10));
    expect(Math.abs(Number(response.headers.get("retry-after")) - (midnight.getTime() - Date.now()) / 1_000)).toBeLessThan(60);

    // The console shows the key's usage: three requests, one of which failed, and two credits.
    await until("the usage to be shown", async () => {
      await page.goto("about:blank");
      await page.goto(`${link.split("#")[0]}#/usage`);
      await page.getByRole("heading", { name: "By endpoint" }).waitFor();
      const cells = await page
        .getByRole("row", { name: /^getBlock / })
        .first()
        .locator("td")
        .allTextContents();
      return cells.slice(0, 3).join(" ") === "2 3 1";
    });
    expect(await page.locator("canvas").count()).toBe(3);

    // A higher quota, which servers apply within 5 seconds.
    await page.getByRole("link", { name: "Keys" }).click();
    await keyRow().getByRole("button", { name: "Edit" }).click();
    await page.getByLabel("Per UTC day").fill("1000");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved: servers apply the change").waitFor();
    await until("the higher quota", async () => (await request("block_v2/latest/")).status === 200);
    const expected = await balances();
    expect(expected).toContainEqual([token.toLowerCase(), "1000"]);

    // A backup while the service runs, and then its data directory is lost.
    await ashlar("backup", join(folder, "backup"));
    const killedService = service;
    killedService?.child.kill("SIGKILL");
    await killedService?.exited;
    await until("the processes of the killed service to end", async () => {
      await rm(join(folder, ".ashlar"), { recursive: true, force: true });
      return fetch(`${killedService?.url}/healthz`).then(
        () => false,
        () => !existsSync(join(folder, ".ashlar")),
      );
    });
    await chain.mine();
    await ashlar("restore", join(folder, "backup"));

    // The same key and responses, the block after the backup, and an audit without differences.
    await start();
    await until("the block after the backup", async () => {
      const { data } = (await (await request("block_v2/latest/")).json()) as { data: { items: { height: number }[] } };
      return data.items[0]?.height === (await chain.head());
    });
    expect(await balances()).toEqual(expected);
    expect((await ashlar("audit")).stdout).toContain("No differences.");
    expect(
      (await ashlar("log")).stdout
        .split("\n")
        .filter((line) => line.includes("(console)"))
        .map((line) => line.split("  ")[2]),
    ).toEqual(["key.update", "key.create"]);
  });
});
