import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { createPreparedProcess } from "../../../runtime/cluster/prepared-process.ts";
import { superviseProcess } from "../../../runtime/cluster/supervise.ts";
import { until } from "../../support/until.ts";

/** Starts a program of Node.js. */
const run = (program: string): ChildProcess => spawn(process.execPath, ["-e", program], { stdio: "ignore" });
const running = "setInterval(() => undefined, 60_000)";

const createLog = () => {
  const lines: string[] = [];
  return { lines, logger: { info: (line: string) => void lines.push(line), error: (line: string) => void lines.push(line) } };
};

describe("a supervised process", () => {
  it("is restarted at once, and later than that if it exits repeatedly", async () => {
    const { lines, logger } = createLog();
    const children: ChildProcess[] = [];
    const fork = (): ChildProcess => {
      const child = run(running);
      children.push(child);
      return child;
    };
    const exited: ChildProcess[] = [];
    const supervised = superviseProcess({
      name: "one",
      fork,
      begin: async () => undefined,
      onExit: (child) => void exited.push(child),
      logger,
    });
    await supervised.started;
    for (const restarts of [1, 2, 3]) {
      children.at(-1)?.kill("SIGKILL");
      await until("the restart", () => children.length === restarts + 1, 10_000);
    }
    const cause = "Process one exited unexpectedly (SIGKILL).";
    expect(lines).toEqual(["now", "in 0.5 s", "in 1 s"].map((wait) => `${cause} Restarting it ${wait}.`));
    expect(exited).toEqual(children.slice(0, 3));
    await supervised.stop((child) => child.kill("SIGTERM"));
    expect(children.at(-1)?.signalCode).toBe("SIGTERM");
    expect(children).toHaveLength(4);
  });

  it("is not started again if it fails before it was ready for the first time", async () => {
    const { lines, logger } = createLog();
    const refused = superviseProcess({
      name: "refused",
      fork: () => run(running),
      begin: async () => {
        throw new Error("Invalid value.");
      },
      logger,
    });
    await expect(refused.started).rejects.toThrow("Invalid value.");
    const crashed = superviseProcess({
      name: "crashed",
      fork: () => run("process.exit(7)"),
      begin: () => new Promise(() => undefined),
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
      begin: async () => undefined,
      mayRestart: () => false,
      logger,
    });
    await supervised.ended;
    expect(lines).toEqual([]);
  });
});

describe("a prepared process", () => {
  it("is used once, unless it has exited", async () => {
    const children: ChildProcess[] = [];
    const prepared = createPreparedProcess(() => {
      const child = run(running);
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
