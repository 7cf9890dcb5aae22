import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { chainConfigSchema } from "../../runtime/config/config.ts";
import { every, poll } from "../../runtime/lib/async.ts";
import { hashContents } from "../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { startIndexer } from "../support/indexer-process.ts";
import { fakeClockEnvironment, isFaketimeInstalled, setClock } from "./support/fake-clock.ts";
import { type FaultedService, maxRecoverySeconds, startFaultedService } from "./support/faulted-service.ts";
import { numberFromEnvironment } from "./support/settings.ts";
import { canMount, fillDisk } from "./support/small-disk.ts";

/** The duration of faults that the test ends. */
const faultSeconds = numberFromEnvironment("LONG_FAULT_SECONDS", 30);
/** The indexer's timeout for its node's responses. */
const nodeTimeoutSeconds = 30;

const signal = (pids: readonly number[], name: NodeJS.Signals): void => {
  for (const pid of pids) process.kill(pid, name);
};

/** Injects faults into one service sequentially. Only root can mount the small file system. */
describe.skipIf(process.platform !== "linux" || !canMount())("a service survives", () => {
  let faulted: FaultedService;
  beforeAll(async () => {
    faulted = await startFaultedService();
  });
  afterAll(() => faulted?.stop());

  it.each(["worker 1", "indexer"])("SIGKILL of %s", async (name) =>
    faulted.survive(
      `SIGKILL of ${name}`,
      { begin: () => signal([faulted.child(name)], "SIGKILL"), seconds: 0, end: () => undefined },
      { breaksConnections: true },
    ),
  );
  it("SIGKILL of the database", () =>
    faulted.survive(
      "SIGKILL of the database",
      { begin: () => signal([faulted.postmaster()], "SIGKILL"), seconds: 0, end: () => undefined },
      { breaksConnections: false },
    ));
  it("SIGKILL of the supervisor, restarted by a service manager", () =>
    faulted.survive(
      "SIGKILL of the supervisor",
      {
        async begin() {
          faulted.service().child.kill("SIGKILL");
          await faulted.service().exited;
        },
        seconds: 0,
        end: () => faulted.start(),
      },
      { breaksConnections: true },
    ));
  it("SIGSTOP of the node", () =>
    faulted.survive(
      "SIGSTOP of the node",
      {
        begin: () => signal([faulted.nodeProcess()], "SIGSTOP"),
        seconds: faultSeconds,
        end: () => signal([faulted.nodeProcess()], "SIGCONT"),
        canMine: false,
      },
      { breaksConnections: false },
    ));
  it("SIGSTOP of the database", () => {
    let stopped: number[] = [];
    return faulted.survive(
      "SIGSTOP of the database",
      {
        begin() {
          stopped = faulted.databaseProcesses();
          signal(stopped, "SIGSTOP");
        },
        seconds: faultSeconds,
        end: () => signal(stopped, "SIGCONT"),
      },
      { breaksConnections: false },
    );
  });
  it("a full disk", () => {
    const file = join(faulted.disk, "filler");
    return faulted.survive(
      "full disk",
      {
        begin: () => fillDisk(file),
        seconds: faultSeconds,
        end() {
          // This line shows that the disk was full.
          expect(faulted.service().output()).toContain("Paused indexing until there is more disk space");
          rmSync(file);
        },
      },
      { breaksConnections: false },
    );
  });
  it("a connection to the node that carries no data", () =>
    faulted.survive(
      "black-holed node",
      {
        begin() {
          faulted.node.intercept = () => true;
        },
        seconds: faultSeconds,
        end() {
          faulted.node.intercept = null;
        },
      },
      { breaksConnections: false, withinSeconds: nodeTimeoutSeconds + maxRecoverySeconds },
    ));
  describe.skipIf(!isFaketimeInstalled())("a clock", () => {
    beforeAll(() => faulted.restart(fakeClockEnvironment(faulted.clockFile)));
    afterAll(() => faulted.restart());

    /** The head's age according to the server's clock. */
    const secondsBehind = async (): Promise<number> => {
      const { data } = (await (await fetch(`http://127.0.0.1:${faulted.port}/readyz`)).json()) as {
        data: { chains: { seconds_behind: number }[] };
      };
      return data.chains[0]?.seconds_behind ?? 0;
    };
    it.each([
      ["forwards", 3_600, 3_600],
      ["back", 0, -3_600],
    ])("that jumps an hour %s", (name, offset, jump) => {
      let before = 0;
      return faulted.survive(
        `clock jump ${name}`,
        {
          async begin() {
            before = await secondsBehind();
            setClock(faulted.clockFile, offset);
          },
          seconds: faultSeconds,
          async end() {
            // This shows that the clock jumped. The result is rounded, because the head's age varies by a few seconds.
            expect(Math.round(((await secondsBehind()) - before) / 600) * 600).toBe(jump);
          },
        },
        { breaksConnections: false },
      );
    });
  });
  it("a node with blocks that differ from their hashes", () =>
    faulted.survive(
      "inconsistent node",
      {
        begin() {
          faulted.node.tamper = (method, response) => {
            const block = response.result as { hash?: string } | null;
            if (method === "eth_getBlockByNumber" && block?.hash !== undefined && Math.random() < 0.5) block.hash = `0x${"ab".repeat(32)}`;
          };
        },
        seconds: faultSeconds,
        end() {
          faulted.node.tamper = null;
        },
      },
      { breaksConnections: false },
    ));
  it("a finalized block that is not final", () =>
    faulted.survive(
      "wrong finalized block",
      {
        async begin() {
          const head = await faulted.tokens.chain.rpc<{ number: string; hash: string }>("eth_getBlockByNumber", ["latest", false]);
          let responseCount = 0;
          faulted.node.tamper = (method, response, [tag]) => {
            // Only the first response is wrong; the next ones contradict it.
            if (method === "eth_getBlockByNumber" && tag === "finalized" && responseCount++ === 0) response.result = head;
          };
          await wait(2_000);
          await faulted.tokens.reorganise(5);
        },
        seconds: 2,
        end() {
          faulted.node.tamper = null;
        },
      },
      { breaksConnections: false },
    ));

  it("all faults without data loss, with the same index as a service without faults", async () => {
    const undisturbed: TestDatabase = await createTestDatabase();
    const scratch = await mkdtemp(join(tmpdir(), "ashlar-undisturbed-"));
    const config = {
      ...chainConfigSchema.parse({ name: "own", id: 31337, rpc: faulted.tokens.chain.url, pollMilliseconds: 100 }),
      id: 31337,
    };
    const other = await startIndexer(scratch, config, undisturbed.url);
    try {
      await faulted.onDatabase(async (database) => {
        const equal = await poll(
          async () => {
            const [left, right] = await Promise.all([hashContents(database), hashContents(undisturbed.database)]);
            return isDeepStrictEqual(left, right) ? left : null;
          },
          { ...every(1_000), withinMilliseconds: 60_000 },
        );
        expect(equal ?? (await hashContents(database))).toEqual(await hashContents(undisturbed.database));
      });
    } finally {
      await other.kill();
      await undisturbed.drop();
      await rm(scratch, { recursive: true, force: true });
    }
  });
});
