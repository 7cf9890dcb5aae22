import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { useApp } from "../../support/app.ts";

const browser = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
const app = await useApp();
const widths = { desktop: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;

// `.ci/run` installs Debian's chromium if possible; without a browser, this suite is skipped.
describe.skipIf(!existsSync(browser))("the documentation page", () => {
  let folder: string;
  let context: BrowserContext;
  let page: Page;
  let consoleMessages: string[];
  let externalRequests: string[];

  const open = async (viewport: { width: number; height: number }): Promise<void> => {
    await page.setViewportSize(viewport);
    await page.goto(`${app.url}/docs/`);
    await page.locator(".opblock").first().waitFor();
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-browser-"));
    const flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
    context = await chromium.launchPersistentContext(folder, { executablePath: browser, headless: true, args: flags });
  });
  afterAll(async () => {
    await context?.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    [consoleMessages, externalRequests] = [[], []];
    page = await context.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") consoleMessages.push(message.text());
    });
    page.on("pageerror", (error) => consoleMessages.push(error.message));
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(app.url) && !url.startsWith("data:") && !url.startsWith("blob:")) externalRequests.push(url);
    });
  });
  afterEach(() => page.close());

  it.each(Object.entries(widths))(
    "shows every operation at %s width, without console errors or external requests",
    async (name, viewport) => {
      await open(viewport);
      // 58 endpoints, 39 community operations, and the key usage endpoint, which is not in the catalog.
      expect(await page.locator(".opblock").count()).toBe(98);
      const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      expect(overflow).toBeLessThanOrEqual(0);
      if (process.env.ASHLAR_SCREENSHOTS !== undefined)
        await page.screenshot({ path: join(process.env.ASHLAR_SCREENSHOTS, `docs-${name}.png`) });
      expect(consoleMessages).toEqual([]);
      expect(externalRequests).toEqual([]);
    },
  );

  it("sends a request with the prefilled demo key, using only the keyboard", async () => {
    await open(widths.desktop);
    const operation = page.locator("#operations-chains-getAllChains");
    await operation.locator("button.opblock-summary-control").focus();
    await page.keyboard.press("Enter");
    await operation.locator("button.execute").focus();
    await page.keyboard.press("Enter");
    await operation.locator(".live-responses-table .response-col_status", { hasText: "200" }).waitFor();
    expect(await operation.locator(".live-responses-table").textContent()).toContain('"name": "demo"');
    if (process.env.ASHLAR_SCREENSHOTS !== undefined)
      await page.screenshot({ path: join(process.env.ASHLAR_SCREENSHOTS, "docs-executed.png") });
    expect(consoleMessages).toEqual([]);
  });
});
