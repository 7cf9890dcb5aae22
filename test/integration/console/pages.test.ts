import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import axe from "axe-core";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from "vitest";
import { createSignInToken } from "../../../runtime/console/sessions.ts";
import { createKeys, hashKey } from "../../../runtime/http/keys.ts";
import { startTestConsole, type TestConsole } from "../../support/console.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

const browser = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const widths = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;
/** A name that a token or an operator could have. */
const hostile = `<img src=x onerror="document.title='attacked'"><script>document.title='attacked'</script>`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

// `.ci/run` installs Debian's chromium if possible; without a browser, this suite is skipped.
describe.skipIf(!existsSync(browser))("the pages of the console", () => {
  let testDatabase: TestDatabase;
  let console: TestConsole;
  let folder: string | undefined;
  let context: BrowserContext;
  let page: Page;
  let problems: string[];

  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    console = await startTestConsole(testDatabase.database, {
      audit: async (_chain, sample) => ({ block: 100, compared: sample, differences: 0 }),
    });
    await testDatabase.database.query(
      "INSERT INTO chains (chain_id, name, indexed_from, genesis_hash, latest_block) VALUES (5, 'test', 0, decode(repeat('00', 32), 'hex'), 120)",
    );
    await testDatabase.database.query(
      "INSERT INTO projection_checkpoints (chain_id, projection, version, block_number) VALUES (5, 'tokens', 1, 100), (5, 'prices', 1, 50)",
    );
    const { id } = await createKeys(testDatabase.database).create({ label: hostile });
    const today = new Date().toISOString().slice(0, 10);
    await testDatabase.database.query(
      "INSERT INTO credit_usage VALUES ($1, $2::date - 1, 'getBlock', 3, 300), ($1, $2::date, 'getBlock', 5, 500)",
      [id, today],
    );
    await testDatabase.database.query(
      "INSERT INTO key_requests VALUES ($1, $2::date - 1, 'getBlock', 4, 3, 0, now()), ($1, $2::date, 'getBlock', 5, 6, 1, now())",
      [id, today],
    );
    folder = await mkdtemp(join(tmpdir(), "ashlar-browser-"));
    const flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
    context = await chromium.launchPersistentContext(folder, {
      executablePath: browser,
      headless: true,
      args: flags,
      acceptDownloads: true,
    });
  });
  afterAll(async () => {
    await context?.close();
    console?.close();
    await testDatabase?.drop();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    problems = [];
    await context.clearCookies();
    page = await context.newPage();
    page.setDefaultTimeout(15_000);
    page.on("console", (message) => {
      // Chromium logs every response with a status of 400 or more, including the 401 that a page without a session receives.
      if ((message.type() === "error" || message.type() === "warning") && !message.text().includes("401")) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${console.url}/`)) problems.push(`request to ${request.url()}`);
    });
  });
  afterEach(() => page.close());

  const signIn = async (): Promise<void> => {
    const { token } = await createSignInToken(testDatabase.database, "operator@test");
    await page.goto(`${console.url}/console/#/sign-in/${token}`);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Keys" }).waitFor();
  };
  const open = async (path: string, heading: string): Promise<void> => {
    await page.evaluate(`location.hash = ${JSON.stringify(`#/${path}`)}`);
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
  };
  // The axe script is evaluated from its source, because the pages' content security policy would refuse to load a script.
  const findViolations = async (): Promise<string[]> => {
    const found = (await page.evaluate(
      `(() => { ${axe.source}; return axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then((r) => r.violations); })()`,
    )) as Violation[];
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
  };
  const measureOverflow = () => page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");

  it("accept a sign-in link once, remove its token from the address bar, and sign out", async () => {
    const { token } = await createSignInToken(testDatabase.database, "operator@test");
    const link = `${console.url}/console/#/sign-in/${token}`;
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(page.url()).not.toContain(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    expect(await page.evaluate("document.cookie")).toBe("");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("ashlar console login").waitFor();
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByRole("button", { name: "Sign in" }).click();
    expect(await page.getByRole("alert").textContent()).toContain("used before");
  });

  it.each([
    ["keys", "Keys"],
    ["usage", "Usage"],
    ["chains", "Chains"],
    ["chains/test", "test"],
    ["log", "Log"],
  ])("fit both widths in light and dark mode, are accessible, and log no console messages: %s", async (path, heading) => {
    await signIn();
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      for (const [width, viewport] of Object.entries(widths)) {
        await page.setViewportSize(viewport);
        await open(path, heading);
        expect(await measureOverflow()).toBeLessThanOrEqual(0);
        expect(await findViolations()).toEqual([]);
        const shots = process.env.ASHLAR_SCREENSHOTS;
        if (shots !== undefined)
          await page.screenshot({ path: join(shots, `console-${path.replace("/", "-")}-${width}-${colorScheme}.png`), fullPage: true });
      }
    }
    expect(problems).toEqual([]);
    expect(await page.title()).toBe("Ashlar console");
  });

  it("create a key with a quota using only the keyboard, show it once, and revoke it", async () => {
    await signIn();
    await page.getByRole("button", { name: "Create key" }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    expect(await findViolations()).toEqual([]);
    if (process.env.ASHLAR_SCREENSHOTS !== undefined)
      await page.screenshot({ path: join(process.env.ASHLAR_SCREENSHOTS, "console-key-form.png") });
    await page.keyboard.type("team");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.type("25");
    await page.keyboard.press("Enter");
    const secret = (await page.locator(".secret").textContent()) ?? "";
    expect(await createKeys(testDatabase.database).find(hashKey(secret))).toMatchObject({ quotas: { quota: { day: 2_500, month: null } } });
    await page.keyboard.press("Escape");
    // A closed dialog no longer has a role.
    await page.locator("dialog").waitFor({ state: "detached" });
    expect(await page.content()).not.toContain(secret);
    await page.locator("tr", { hasText: "team" }).getByRole("button", { name: "Revoke" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
    await page.getByText("Revoked: servers refuse the key").waitFor();
    expect(await createKeys(testDatabase.database).find(hashKey(secret))).toBeNull();
  });

  it("show the server's error for an invalid value, and keep the input", async () => {
    await signIn();
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Label").fill("bad");
    await page.getByLabel("Addresses").fill("10.0.0.0/99");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    expect(await page.getByRole("dialog").getByRole("alert").textContent()).toContain('Invalid value "10.0.0.0/99" for access.addresses.0');
    expect(await page.getByLabel("Addresses").inputValue()).toBe("10.0.0.0/99");
  });

  it("show hostile text as text", async () => {
    await signIn();
    for (const [path, heading] of [
      ["keys", "Keys"],
      ["usage", "Usage"],
      ["log", "Log"],
    ] as const) {
      await open(path, heading);
      if (path !== "log") await page.getByText("<img src=x").first().waitFor({ state: "attached" });
    }
    expect(await page.title()).toBe("Ashlar console");
    expect(await page.locator("img, main script").count()).toBe(0);
  });

  it("download usage as CSV", async () => {
    await signIn();
    await open("usage", "Usage");
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: "Download CSV" }).click()]);
    expect(readFileSync((await download.path()) ?? "", "utf8")).toMatch(/^day,key,label,operation,/);
  });

  it("pause a chain, audit it, and remove it after its name is typed", async () => {
    await signIn();
    await open("chains/test", "test");
    await page.getByRole("button", { name: "Pause indexing" }).click();
    await page.getByRole("button", { name: "Resume indexing" }).waitFor();
    await page.getByRole("button", { name: /^Audit/ }).click();
    await page.getByText("100 values compared at block 100: 0 differences.").waitFor();
    await page.getByRole("button", { name: "Remove…" }).click();
    const confirm = page.getByRole("button", { name: "Remove the chain" });
    expect(await confirm.isDisabled()).toBe(true);
    await page.getByLabel("The chain's name").fill("test");
    await confirm.click();
    await page
      .getByText(/Removed \d+ rows|Unknown chain "test"/)
      .first()
      .waitFor({ timeout: 20_000 });
    expect(await testDatabase.database.query("SELECT 1 FROM chains")).toEqual([]);
  });
});

test("the script and the style sheet are smaller than 150 kB compressed", async () => {
  const { loadAssets } = await import("../../../runtime/console/assets.ts");
  const bytes = [...(await loadAssets()).values()].reduce((sum, { body }) => sum + gzipSync(body).length, 0);
  expect(bytes).toBeLessThan(150_000);
});
