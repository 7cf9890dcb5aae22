import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { acquireLock } from "../../../runtime/database/embedded/lock.ts";
import { createLockRecord, type LockRecord } from "../../../runtime/database/embedded/lock-record.ts";
import { findPaths } from "../../../runtime/database/embedded/paths.ts";
import { superviseEmbedded } from "../../../runtime/database/supervise-embedded.ts";
import { postmasterOf, privateFolder, query, start } from "../../support/database/embedded-fixture.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { until } from "../../support/until.ts";

const script = fileURLToPath(new URL("../../support/database/hold-server.ts", import.meta.url));
const node = [process.execPath, "--import", "tsx", script];
/** Separate namespaces for process ids and the network, as a container has them. */
const isolated = ["unshare", "--pid", "--fork", "--mount-proc", "--net", "--kill-child"];
/** A separate namespace for process ids only: a container that shares the machine's network. */
const hostNetwork = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];

interface Outcome {
  readonly url?: string;
  readonly owner?: boolean;
  readonly error?: string;
}

/** Starts a process that runs a data directory's server in separate namespaces. */
async function holdInContainer(namespaces: readonly string[], dataDirectory: string) {
  // A new network namespace's loopback interface is down.
  const inner = namespaces.includes("--net") ? ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...node] : node;
  const [program = "", ...parameters] = [...namespaces, ...inner, dataDirectory];
  const child = spawn(program, parameters, { stdio: ["pipe", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const end = async (): Promise<void> => {
    child.stdin.end();
    await exited;
  };
  return { outcome: JSON.parse(line) as Outcome, kill, end };
}

const lockOf = (folder: string): LockRecord => JSON.parse(readFileSync(join(folder, "postgres.lock"), "utf8")) as LockRecord;
/** Replaces the lock as another machine would. */
const replaceLock = (folder: string, record: LockRecord): void => {
  const path = join(folder, "postgres.lock");
  writeFileSync(`${path}.test`, JSON.stringify(record));
  renameSync(`${path}.test`, path);
};
const otherMachine: LockRecord = { ...createLockRecord("other"), host: "elsewhere", pid: 7, boot: "another boot" };
// Namespaces need privileges that a test container may lack.
const isPrivileged = process.platform === "linux" && process.getuid?.() === 0;

describe.runIf(isPrivileged)("a data directory that another container uses", () => {
  it.each([
    ["its own network", isolated],
    ["the machine's network", hostNetwork],
  ])("cannot be used while a container with %s uses it, and is taken over once that container is killed", async (_, namespaces) => {
    const folder = privateFolder();
    const holder = await holdInContainer(namespaces, folder);
    expect(holder.outcome).toMatchObject({ isOwner: true });
    const startedAt = performance.now();
    await expect(start(folder)).rejects.toThrow(
      `The embedded PostgreSQL cannot be used: process ${lockOf(folder).pid} of host "${lockOf(folder).host}", in another container or on another machine, uses the data directory ${folder}`,
    );
    expect(performance.now() - startedAt).toBeLessThan(scaleTimeLimit(8_000));
    await holder.kill();
    const next = await start(folder);
    expect(next.isOwner).toBe(true);
    expect(await query(next.url, "SELECT 1 AS up")).toEqual([{ up: 1 }]);
    // Conversely, the container cannot use the data directory while this process does.
    const refused = await holdInContainer(namespaces, folder);
    expect(refused.outcome.error).toContain(`process ${process.pid} of host`);
    await next.stop();
    expect([existsSync(join(folder, "postgres.lock")), existsSync(join(folder, "postgres.presence"))]).toEqual([false, false]);
  });
});

describe("a data directory's lock", () => {
  it("cannot be acquired while another machine renews it, and is taken over once it is stale", async () => {
    const folder = privateFolder();
    const paths = findPaths(folder);
    replaceLock(folder, otherMachine);
    // The other machine's clock is behind: only changes count.
    let second = 1_000_000;
    const renewing = setInterval(() => {
      second += 1;
      utimesSync(paths.lock, second, second);
    }, 200);
    onTestFinished(() => clearInterval(renewing));
    await expect(acquireLock(paths, { staleMilliseconds: scaleTimeLimit(2_000) })).rejects.toThrow('process 7 of host "elsewhere"');
    clearInterval(renewing);
    const waits: string[] = [];
    const lock = await acquireLock(paths, { staleMilliseconds: 1_000, onWait: (message) => waits.push(message) });
    expect(waits).toEqual([`Waiting up to 1 s: process 7 of host "elsewhere" may still use ${folder}.`]);
    expect(lockOf(folder)).toMatchObject({ pid: process.pid, boot: createLockRecord("").boot });
    await lock.release();
    expect(existsSync(paths.lock)).toBe(false);
  });

  it("is taken over if it is damaged and not renewed", async () => {
    const folder = privateFolder();
    writeFileSync(join(folder, "postgres.lock"), "");
    const lock = await acquireLock(findPaths(folder), { staleMilliseconds: 500 });
    await lock.release();
  });

  it("is not taken over while its owner's server may still run in another container", async () => {
    const folder = privateFolder();
    const { stop } = await start(folder);
    // As if this process and its server hung in another container.
    const record = lockOf(folder);
    replaceLock(folder, { ...record, processes: "pid:[1]" });
    await expect(acquireLock(findPaths(folder), { staleMilliseconds: 500 })).rejects.toThrow("stop that container");
    replaceLock(folder, record);
    await stop();
  });

  it("makes an owner that loses it kill its server and fail, without changing the new owner's files", async () => {
    const folder = privateFolder();
    const errors: Error[] = [];
    const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const kept = await superviseEmbedded({
      dataDirectory: folder,
      settings: { fsync: "off" },
      logger: silent,
      onLost: (error) => errors.push(error),
    });
    onTestFinished(kept.stop);
    const pid = postmasterOf(folder);
    replaceLock(folder, otherMachine);
    await until("the owner to notice", () => errors.length > 0);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^The embedded PostgreSQL cannot be used: its data directory's lock .* was taken by another process or removed/,
      ),
    ]);
    expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
    await kept.stop();
    // The files belong to the other owner: its lock, and the postmaster.pid that its server would have written.
    expect(lockOf(folder).id).toBe("other");
    expect(postmasterOf(folder)).toBe(pid);
  });
});
