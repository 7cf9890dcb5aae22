import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createPlainServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type BrowserContext, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createServer, type HttpServer } from "../../../runtime/http/server.ts";
import { type Harness, startHarness } from "./harness.ts";

const demoKey = `ckey_${"d".repeat(27)}`;
const demo = { key: demoKey, storyValues: {} };
const scriptPath = "/docs/start.js";
let app: Harness;

beforeAll(async () => {
  app = await startHarness({}, { demo });
});
afterAll(() => app.end());

describe("the script with the demo key", () => {
  const containsKey = async (headers: Readonly<Record<string, string>>, harness = app): Promise<boolean> => {
    const { status, text } = await harness.withoutKey().get(scriptPath).set(headers);
    expect(status).toBe(200);
    return text.includes(demoKey);
  };

  it("cannot be read or included by pages from other origins", async () => {
    for (const path of ["/docs/", scriptPath, "/docs/page.css"]) {
      const { headers } = await app.withoutKey().get(path).set("Origin", "http://attacker.example");
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
      expect(headers["cross-origin-resource-policy"]).toBe("same-origin");
    }
    const { headers } = await app.withoutKey().get(scriptPath);
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["x-content-type-options"]).toBe("nosniff");
  });

  it.each(["same-origin", "none"])("contains the key for Sec-Fetch-Site: %s", async (site) => {
    expect(await containsKey({ "Sec-Fetch-Site": site })).toBe(true);
  });

  it.each(["cross-site", "same-site", "something-new"])("contains no key for Sec-Fetch-Site: %s", async (site) => {
    expect(await containsKey({ "Sec-Fetch-Site": site })).toBe(false);
  });

  it("contains no key for another origin", async () => {
    expect(await containsKey({ Host: "127.0.0.1:8080", Origin: "http://127.0.0.1:8080" })).toBe(true);
    for (const origin of ["http://127.0.0.1:8081", "https://127.0.0.1:8080", "http://localhost:8080", "null"])
      expect(await containsKey({ Host: "127.0.0.1:8080", Origin: origin })).toBe(false);
  });

  it.each(["127.0.0.1:8080", "localhost:8080", "LOCALHOST", "docs.localhost", "[::1]:8080", "192.168.1.7:8080", "[fd00::7]"])(
    "contains the key at %s, which DNS cannot rebind",
    async (host) => {
      expect(await containsKey({ Host: host })).toBe(true);
    },
  );

  it.each([
    "attacker.example",
    "127.0.0.1.attacker.example:8080",
    "localhost.attacker.example",
    "notlocalhost",
    "1.2.3.4.5",
    "[::1].attacker.example",
  ])("contains no key at %s, which DNS could rebind to this machine", async (host) => {
    expect(await containsKey({ Host: host })).toBe(false);
  });

  it("contains the key at the public URL's host, and at no other name", async () => {
    const published = await startHarness({}, { demo, publicUrl: "https://demo.example/api" });
    expect(await containsKey({ Host: "demo.example" }, published)).toBe(true);
    expect(await containsKey({ Host: "demo.example", Origin: "https://demo.example" }, published)).toBe(true);
    expect(await containsKey({ Host: "other.example" }, published)).toBe(false);
    await published.end();
  });
});

const browser = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";
/** A page that includes the script, as the documentation page does, and fetches it. */
const attack = (target: string): string => `<!doctype html>
<script>window.SwaggerUIBundle = () => ({ preauthorizeApiKey() {} });</script>
<script src="${target}"></script>
<script>
  window.included = typeof demoKey === "undefined" ? null : demoKey;
  window.read = fetch("${target}").then((response) => response.text(), () => null);
</script>`;

// Skipped without a browser, because nothing else can replace it.
describe.skipIf(!existsSync(browser))("the script with the demo key in a browser", () => {
  let folder: string;
  let context: BrowserContext;
  let docsServer: HttpServer;
  let attackerServer: Server;
  let docsPort: number;
  let attackerPort: number;

  beforeAll(async () => {
    docsServer = createServer(app.listener);
    docsPort = (await docsServer.listen(0, "127.0.0.1")).port;
    attackerServer = createPlainServer((_request, response) => {
      response.setHeader("Content-Type", "text/html");
      response.end(attack(`http://127.0.0.1:${docsPort}${scriptPath}`));
    });
    await new Promise<void>((resolve) => attackerServer.listen(0, "127.0.0.1", resolve));
    attackerPort = (attackerServer.address() as AddressInfo).port;
    folder = await mkdtemp(join(tmpdir(), "ashlar-browser-"));
    const flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
    context = await chromium.launchPersistentContext(folder, {
      executablePath: browser,
      headless: true,
      // Simulates an attacker's name server, which resolves these names to this machine.
      args: [...flags, "--host-resolver-rules=MAP *.test 127.0.0.1"],
    });
  });
  afterAll(async () => {
    await context?.close();
    await docsServer?.stop();
    await new Promise((resolve) => attackerServer?.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  const attackFrom = async (url: string): Promise<{ readonly included: string | null; readonly read: string | null }> => {
    const page = await context.newPage();
    await page.goto(url);
    const result = await page.evaluate("Promise.resolve(window.read).then((read) => ({ included: window.included, read }))");
    await page.close();
    return result as { included: string | null; read: string | null };
  };

  it("can be read by the documentation page", async () => {
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${docsPort}/docs/`);
    expect(await page.evaluate("typeof demoKey === 'undefined' ? null : demoKey")).toBe(demoKey);
    await page.close();
  });

  it("cannot be included or read by a page on another site", async () => {
    expect(await attackFrom(`http://attacker.test:${attackerPort}/`)).toEqual({ included: null, read: null });
  });

  it("cannot be included or read by a page at another port on the same machine", async () => {
    expect(await attackFrom(`http://127.0.0.1:${attackerPort}/`)).toEqual({ included: null, read: null });
  });

  it("contains no key for a page whose name was rebound to this machine", async () => {
    const page = await context.newPage();
    await page.goto(`http://rebound.test:${docsPort}/docs/`);
    const text = await page.evaluate(`fetch("${scriptPath}").then((response) => response.text())`);
    await page.close();
    expect(text).toContain("SwaggerUIBundle");
    expect(text).not.toContain(demoKey);
  });
});
