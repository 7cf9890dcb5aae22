import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hostileFolder } from "../../../demo/chapters/hostile-tokens.ts";
import { lanternFolder, lanterns } from "../../../demo/chapters/lantern-documents.ts";
import { type MetadataServer, startMetadataServer } from "../../../demo/metadata-server.ts";

const mebibyte = 1024 * 1024;

describe("the demo's gateway", () => {
  let server: MetadataServer;
  const ask = (path: string, options: RequestInit = {}) => fetch(`${server.origin}${path}`, { redirect: "manual", ...options });
  const hostile = (path: string, options: RequestInit = {}) => ask(`/ipfs/${hostileFolder}/${path}`, options);

  beforeEach(async () => {
    server = await startMetadataServer();
  });
  afterEach(() => server.stop());

  it("serves the documents and images of its collection", async () => {
    const response = await ask(`/ipfs/${lanternFolder}/15`);
    expect(response.headers.get("content-type")).toBe("application/json");
    const document = (await response.json()) as { name: string; image: string; attributes: { trait_type: string }[] };
    expect(document.name).toBe("Harbor Lantern #15");
    // A multiple of three and five has every trait.
    expect(document.attributes.map(({ trait_type: trait }) => trait)).toEqual(["Pier", "Glass", "Candles", "Lit", "Reach"]);
    const picture = await ask(document.image.replace("ipfs://", "/ipfs/"));
    expect(picture.headers.get("content-type")).toBe("image/svg+xml");
    expect(await picture.text()).toMatch(/^<svg /);
  });

  it.each([
    "/",
    "/ipfs/",
    `/ipfs/${lanternFolder}`,
    `/ipfs/${lanternFolder}/0`,
    `/ipfs/${lanternFolder}/${lanterns + 1}`,
    `/ipfs/${lanternFolder}/1/2`,
    `/ipfs/${lanternFolder}/01`,
    `/ipfs/${lanternFolder}/images/1.png`,
    `/ipfs/${hostileFolder}/constructor`,
    `/ipfs/${hostileFolder}/nowhere`,
    `/ipfs/${hostileFolder}/%2e%2e/%2e%2e/private`,
  ])("responds with 404 to %s", async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  it("is read-only", async () => {
    expect((await ask(`/ipfs/${lanternFolder}/1`, { method: "POST", body: "x" })).status).toBe(405);
    expect(await (await ask(`/ipfs/${lanternFolder}/1`, { method: "HEAD" })).text()).toBe("");
  });

  it("redirects to forbidden addresses and counts the clients that follow", async () => {
    const location = (await hostile("redirect-to-loopback")).headers.get("location") ?? "";
    expect(new URL(location).hostname).toBe("127.0.0.1");
    expect(new URL(location).origin).not.toBe(server.origin);
    expect((await hostile("redirect-to-link-local")).headers.get("location")).toBe("http://169.254.169.254/latest/meta-data/");
    expect((await hostile("redirect-loop")).headers.get("location")).toBe(`/ipfs/${hostileFolder}/redirect-loop`);
    expect(server.forbiddenRequests()).toBe(0);
    await fetch(location);
    expect(server.forbiddenRequests()).toBe(1);
  });

  it("serves documents that are too large, too slow and too deeply nested", async () => {
    // More than the largest document that can be configured.
    expect((await (await hostile("huge")).text()).length).toBeGreaterThan(16 * mebibyte);
    const bomb = await hostile("compressed-bomb");
    expect(bomb.headers.get("content-encoding")).toBe("gzip");
    expect((await bomb.text()).length).toBeGreaterThan(16 * mebibyte);
    expect(await (await hostile("deeply-nested")).text()).toContain("[".repeat(100_000));
    expect(((await (await hostile("many-attributes")).json()) as { attributes: unknown[] }).attributes).toHaveLength(15_000);
    await expect(hostile("slow", { signal: AbortSignal.timeout(700) }).then((response) => response.text())).rejects.toThrow(/timeout/i);
    expect((await hostile("broken")).status).toBe(500);
  });

  it("closes while a response is being sent", async () => {
    const reading = hostile("slow").then((response) => response.text());
    const ended = expect(reading).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { origin } = server;
    await server.stop();
    await ended;
    await expect(fetch(origin)).rejects.toThrow();
    server = await startMetadataServer();
  });
});
