import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { createPreparedProcess } from "../../../runtime/cluster/prepared-process.ts";
import { superviseProcess } from "../../../runtime/cluster/supervise.ts";
import { sleep } from "../../../runtime/lib/async.ts";
import { until } from "../../support/until.ts";

/** Runs a program in Node.js. */
const run = (program: string): ChildProcess => spawn(process.execPath, ["-e", program], { stdio: "ignore" });
const idleProgram = "setInterval(() => undefined, 60_000)";

const createLog = () => {
  const lines: string[] = [];
  return { lines, logger: { info: (line: string) => void lines.push(line), error: (line: string) => void lines.push(line) } };
};

describe("a supervised process", () => {
  it("is restarted immediately, and with increasing delays if it exits repeatedly", async () => {
    const { lines, logger } = createLog();
    const children: ChildProcess[] = [];
    const fork = (): ChildProcess => {
      const child = run(idleProgram);
      children.push(child);
      return child;
    };
    const exited: ChildProcess[] = [];
    const supervised = superviseProcess({
      name: "one",
      fork,
      initialize: async () => undefined,
      onExit: (child) => void exited.push(child),
      logger,
    });
    await supervised.started;
    for (const restarts of [1, 2, 3]) {
      children.at(-1)?.kill("SIGKILL");
      await until("the restart", () => children.length === restarts + 1);
    }
    const cause = "Process one exited unexpectedly (SIGKILL).";
    expect(lines).toEqual(["now", "in 0.5 s", "in 1 s"].map((wait) => `${cause} Restarting it ${wait}.`));
    expect(exited).toEqual(children.slice(0, 3));
    await supervised.stop((child) => child.kill("SIGTERM"));
    expect(children.at(-1)?.signalCode).toBe("SIGTERM");
    expect(children).toHaveLength(4);
  });

  it("is not restarted if it fails before it is ready for the first time", async () => {
    const { lines, logger } = createLog();
    const refused = superviseProcess({
      name: "refused",
      fork: () => run(idleProgram),
      initialize: async () => {
        throw new Error("Invalid value.");
      },
      logger,
    });
    await expect(refused.started).rejects.toThrow("Invalid value.");
    const crashed = superviseProcess({
      name: "crashed",
      fork: () => run("process.exit(7)"),
      initialize: () => new Promise(() => undefined),
      logger,
    });
    await expect(crashed.started).rejects.toThrow("Process crashed exited unexpectedly (exit code 7).");
    await Promise.all([refused.ended, crashed.ended]);
    expect(lines).toEqual([]);
  });

  it("is not restarted if its exit was not a failure", async () => {
    const { lines, logger } = createLog();
    const supervised = superviseProcess({
      name: "done",
      fork: () => run("setTimeout(() => undefined, 50)"),
      initialize: async () => undefined,
      mayRestart: () => false,
      logger,
    });
    await supervised.ended;
    expect(lines).toEqual([]);
  });
});

/** A process that responds to messages until it receives `loop`, which blocks its event loop forever. */
const echoProgram = `process.on("message", (message) => {
  if (message === "loop") for (;;);
  process.send(message);
})`;
const runWithChannel = (): ChildProcess => spawn(process.execPath, ["-e", echoProgram], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
const ping = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once("message", () => resolve());
    child.send("ping", () => undefined);
  });

describe("a process that does not respond", () => {
  const superviseResponding = (maxSilentSeconds: number) => {
    const { lines, logger } = createLog();
    const children: ChildProcess[] = [];
    const supervised = superviseProcess({
      name: "loop",
      fork: () => {
        const child = runWithChannel();
        children.push(child);
        return child;
      },
      initialize: ping,
      heartbeat: { ping, maxSilentSeconds },
      logger,
    });
    return { lines, children, supervised };
  };

  it("is killed and restarted if its event loop is blocked", async () => {
    const { lines, children, supervised } = superviseResponding(2);
    await supervised.started;
    children[0]?.send("loop");
    await until("the restart", () => children.length === 2);
    expect(children[0]?.signalCode).toBe("SIGKILL");
    expect(lines).toEqual(["Process loop did not respond for 2 s and was killed. Restarting it now."]);
    await supervised.stop((child) => child.kill("SIGTERM"));
  });

  it("is not killed if it is suspended for less than the limit", async () => {
    const { lines, children, supervised } = superviseResponding(6);
    await supervised.started;
    const [child] = children;
    for (let count = 0; count < 2; count += 1) {
      child?.kill("SIGSTOP");
      // Two heartbeats are due during this time.
      await sleep(2_500);
      child?.kill("SIGCONT");
      if (child !== undefined) await ping(child);
    }
    expect([children.length, lines]).toEqual([1, []]);
    await supervised.stop((running) => running.kill("SIGTERM"));
  });

  it("is killed if it is not ready in time", async () => {
    const { logger } = createLog();
    const supervised = superviseProcess({
      name: "slow",
      fork: () => run(idleProgram),
      initialize: () => new Promise(() => undefined),
      maxInitializeSeconds: 0.2,
      logger,
    });
    await expect(supervised.started).rejects.toThrow("Process slow was not ready within 0.2 s.");
    await supervised.ended;
  });
});

describe("a prepared process", () => {
  it("is used once, unless it has exited", async () => {
    const children: ChildProcess[] = [];
    const prepared = createPreparedProcess(() => {
      const child = run(idleProgram);
      children.push(child);
      return child;
    });
    prepared.prepare();
    prepared.prepare();
    expect(children).toHaveLength(1);
    expect(prepared.fork()).toBe(children[0]);
    expect(prepared.fork()).toBe(children[1]);
    prepared.discard();
    for (const child of children) {
      expect(child.exitCode).toBeNull();
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
});
