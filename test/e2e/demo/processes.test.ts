import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { createNodeClient, withAbortSignal } from "../../../demo/node/client.ts";
import { inspectProcess } from "../../../demo/node/processes.ts";
import { startDemo } from "../../../demo/start-demo.ts";
import type { Demo } from "../../../demo/types.ts";
import { freePort } from "../../support/free-port.ts";
import { copyShortStory, storyEndTime as endTime, shortScale as scale } from "../../support/story.ts";

const script = fileURLToPath(new URL("./killed-demo.ts", import.meta.url));

interface OrphanedNode {
  readonly processId: number;
  readonly rpcUrl: string;
  /** The last saved block. */
  readonly saved: number;
}

describe("the demo", () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  const folder = async (): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), "ashlar-demo-"));
    cleanups.push(() => rm(path, { recursive: true, force: true }));
    return path;
  };
  /** A folder with the saved story, which a demo loads. Some tests build the story instead, because its node then has fewer past states. */
  const folderWithStory = async (): Promise<string> => {
    const path = await folder();
    await copyShortStory(path);
    return path;
  };
  const start = async (dataDirectory: string, rpcPort?: number): Promise<Demo> => {
    const demo = await startDemo({ dataDirectory, scale, endTime, rpcPort });
    cleanups.push(() => demo.stop());
    return demo;
  };
  /** Runs a demo in another process, kills that process, and returns its orphaned node's data. */
  const leaveOrphan = async (dataDirectory: string, blockCount = 1): Promise<OrphanedNode> => {
    const child = spawn(process.execPath, ["--import", "tsx", script, dataDirectory, String(blockCount)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    child.kill("SIGKILL");
    await exited;
    return JSON.parse(line.toString()) as OrphanedNode;
  };

  it("takes over a killed run's node, including its unsaved block", async () => {
    const dataDirectory = await folderWithStory();
    const orphan = await leaveOrphan(dataDirectory);
    expect(await inspectProcess(orphan.processId)).not.toBeNull();
    const demo = await start(dataDirectory);
    expect([demo.origin, demo.processId, demo.rpcUrl]).toEqual(["adopted", orphan.processId, orphan.rpcUrl]);
    await demo.save();
    expect(demo.identity().lastBlock).toBe(orphan.saved + 1);
    await demo.stop();
    cleanups.pop();
    expect(await inspectProcess(orphan.processId)).toBeNull();
  });

  it("stops a killed run's node if a different port is configured, and saves its chain", async () => {
    const dataDirectory = await folderWithStory();
    const orphan = await leaveOrphan(dataDirectory);
    const port = await freePort();
    const demo = await start(dataDirectory, port);
    expect([demo.origin, demo.rpcUrl]).toEqual(["loaded", `http://127.0.0.1:${port}`]);
    expect(demo.identity().lastBlock).toBe(orphan.saved + 1);
    expect(await inspectProcess(orphan.processId)).toBeNull();
  });

  it("reloads a killed run's chain if its node has dropped the genesis state", async () => {
    const dataDirectory = await folder();
    const orphan = await leaveOrphan(dataDirectory, 80);
    const demo = await start(dataDirectory);
    expect(demo.origin).toBe("loaded");
    expect(demo.identity().lastBlock).toBe(orphan.saved + 80);
    const client = createNodeClient(demo.rpcUrl);
    // A million ether, the supply at genesis.
    expect(await client.request("eth_getBalance", [demo.story.inventory.accounts[0], "0x0"])).toBe(`0x${(10n ** 24n).toString(16)}`);
    await client.close();
  });

  it("stops its node when the start is aborted", async () => {
    const dataDirectory = await folder();
    const controller = new AbortController();
    const processIds: number[] = [];
    const starting = startDemo({
      dataDirectory,
      scale,
      endTime,
      signal: controller.signal,
      onProgress: (phase, done) => {
        if (phase !== "story" || done < 5 || controller.signal.aborted) return;
        processIds.push((JSON.parse(readFileSync(join(dataDirectory, "demo", "node.json"), "utf8")) as OrphanedNode).processId);
        controller.abort(new Error("enough"));
      },
    });
    await expect(starting).rejects.toThrow("enough");
    expect(processIds).toHaveLength(1);
    expect(await inspectProcess(processIds[0] ?? 0)).toBeNull();
  });

  it("aborts calls to its node immediately when it is stopped", async () => {
    const stop = new AbortController();
    const closed: string[] = [];
    const never = new Promise<never>(() => undefined);
    const client = withAbortSignal({ request: () => never, batch: () => never, close: async () => void closed.push("node") }, stop.signal);
    const calls = [client.request("anvil_dumpState"), client.batch([])];
    stop.abort(new Error("enough"));
    for (const call of [...calls, client.request("eth_chainId")]) await expect(call).rejects.toThrow("enough");
    await client.close();
    expect(closed).toEqual(["node"]);
  });

  it("does not touch an unrelated process that is named in its pid file", async () => {
    const dataDirectory = await folderWithStory();
    const bystander = spawn(process.execPath, ["-e", "setInterval(() => undefined, 60_000)"], { stdio: "ignore" });
    const exited = once(bystander, "exit");
    cleanups.push(async () => {
      bystander.kill("SIGKILL");
      await exited;
    });
    const processInfo = await inspectProcess(bystander.pid ?? 0);
    const identity = JSON.parse(await readFile(join(dataDirectory, "demo", "identity.json"), "utf8")) as { genesisHash: string };
    await writeFile(
      join(dataDirectory, "demo", "node.json"),
      JSON.stringify({ ...processInfo, port: 1, genesisHash: identity.genesisHash }),
    );
    const demo = await start(dataDirectory);
    expect(demo.origin).toBe("loaded");
    expect(demo.processId).not.toBe(bystander.pid);
    expect(await inspectProcess(bystander.pid ?? 0)).toEqual(processInfo);
  });

  it("reports that a configured port is in use", async () => {
    const server = createServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanups.push(async () => server.close());
    const { port } = server.address() as { port: number };
    await expect(start(await folder(), port)).rejects.toThrow(
      `Port ${port} for the demo's node is in use by another process: free it, or set ASHLAR_DEMO_RPC_PORT to a different port.`,
    );
  });

  it("leaves no node and no unpacked state behind when it stops", async () => {
    const dataDirectory = await folder();
    const demo = await startDemo({ dataDirectory, scale, endTime });
    await demo.stop();
    expect(await inspectProcess(demo.processId)).toBeNull();
    for (const name of ["unpacked.json", "node-cache", "node.json", "owner.json"]) {
      await expect(readFile(join(dataDirectory, "demo", name)), name).rejects.toThrow("ENOENT");
    }
  });
});
