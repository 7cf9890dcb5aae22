import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hostileFolderCid } from "../../../demo/chapters/hostile-tokens.ts";
import { lanternCount, lanternFolderCid } from "../../../demo/chapters/lantern-documents.ts";
import { type IpfsGateway, startIpfsGateway } from "../../../demo/ipfs-gateway.ts";

const mebibyte = 1024 * 1024;

describe("the demo gateway", () => {
  let server: IpfsGateway;
  const request = (path: string, options: RequestInit = {}) => fetch(`${server.origin}${path}`, { redirect: "manual", ...options });
  const requestHostile = (path: string, options: RequestInit = {}) => request(`/ipfs/${hostileFolderCid}/${path}`, options);

  beforeEach(async () => {
    server = await startIpfsGateway();
  });
  afterEach(() => server.stop());

  it("serves its collection's documents and images", async () => {
    const response = await request(`/ipfs/${lanternFolderCid}/15`);
    expect(response.headers.get("content-type")).toBe("application/json");
    const document = (await response.json()) as { name: string; image: string; attributes: { trait_type: string }[] };
    expect(document.name).toBe("Harbor Lantern #15");
    // A multiple of three and five has every trait.
    expect(document.attributes.map(({ trait_type: trait }) => trait)).toEqual(["Pier", "Glass", "Candles", "Lit", "Reach"]);
    const picture = await request(document.image.replace("ipfs://", "/ipfs/"));
    expect(picture.headers.get("content-type")).toBe("image/svg+xml");
    expect(await picture.text()).toMatch(/^<svg /);
  });

  it.each([
    "/",
    "/ipfs/",
    `/ipfs/${lanternFolderCid}`,
    `/ipfs/${lanternFolderCid}/0`,
    `/ipfs/${lanternFolderCid}/${lanternCount + 1}`,
    `/ipfs/${lanternFolderCid}/1/2`,
    `/ipfs/${lanternFolderCid}/01`,
    `/ipfs/${lanternFolderCid}/images/1.png`,
    `/ipfs/${hostileFolderCid}/constructor`,
    `/ipfs/${hostileFolderCid}/nowhere`,
    `/ipfs/${hostileFolderCid}/%2e%2e/%2e%2e/private`,
  ])("responds with 404 to %s", async (path) => {
    expect((await request(path)).status).toBe(404);
  });

  it("is read-only", async () => {
    expect((await request(`/ipfs/${lanternFolderCid}/1`, { method: "POST", body: "x" })).status).toBe(405);
    expect(await (await request(`/ipfs/${lanternFolderCid}/1`, { method: "HEAD" })).text()).toBe("");
  });

  it("redirects to forbidden addresses and counts the clients that follow", async () => {
    const location = (await requestHostile("redirect-to-loopback")).headers.get("location") ?? "";
    expect(new URL(location).hostname).toBe("127.0.0.1");
    expect(new URL(location).origin).not.toBe(server.origin);
    expect((await requestHostile("redirect-to-link-local")).headers.get("location")).toBe("http://169.254.169.254/latest/meta-data/");
    expect((await requestHostile("redirect-loop")).headers.get("location")).toBe(`/ipfs/${hostileFolderCid}/redirect-loop`);
    expect(server.forbiddenConnectionCount()).toBe(0);
    await fetch(location);
    expect(server.forbiddenConnectionCount()).toBe(1);
  });

  it("serves documents that are too large, too slow and too deeply nested", async () => {
    // More than the largest document that can be configured.
    expect((await (await requestHostile("huge")).text()).length).toBeGreaterThan(16 * mebibyte);
    const compressed = await requestHostile("compressed-bomb");
    expect(compressed.headers.get("content-encoding")).toBe("gzip");
    expect((await compressed.text()).length).toBeGreaterThan(16 * mebibyte);
    expect(await (await requestHostile("deeply-nested")).text()).toContain("[".repeat(100_000));
    expect(((await (await requestHostile("many-attributes")).json()) as { attributes: unknown[] }).attributes).toHaveLength(15_000);
    await expect(requestHostile("slow", { signal: AbortSignal.timeout(700) }).then((response) => response.text())).rejects.toThrow(
      /timeout/i,
    );
    expect((await requestHostile("broken")).status).toBe(500);
  });

  it("closes while a response is being sent", async () => {
    const reading = requestHostile("slow").then((response) => response.text());
    const rejection = expect(reading).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { origin } = server;
    await server.stop();
    await rejection;
    await expect(fetch(origin)).rejects.toThrow();
    server = await startIpfsGateway();
  });
});
