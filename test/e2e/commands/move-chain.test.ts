import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKeys } from "../../../runtime/http/keys.ts";
import { createCommandRunner, type RunningCommand } from "../../support/commands/command-line.ts";
import { hashContents } from "../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { type ServerProcess, startServer } from "../../support/server-process.ts";
import { isIndexed } from "../../support/service.ts";
import { startTokenChain, type TokenChain } from "../../support/token-chain.ts";
import { until } from "../../support/until.ts";

const chainId = 31_337;
/** The number of rows in one table: restoring them takes longer than killing a process. */
const extraRowCount = 200_000;

describe("ashlar chains move", () => {
  let folder: string;
  let tokens: TokenChain;
  let [control, a, b]: TestDatabase[] = [];
  let key: string;
  const { run, runToExit } = createCommandRunner(() => ({ folder, url: databases().control.url }));
  const databases = () => {
    if (control === undefined || a === undefined || b === undefined) throw new Error("The databases were not created.");
    return { control, a, b };
  };
  const writeConfig = (name: string, database: string): Promise<void> => {
    const { a: first, b: second } = databases();
    const chains = [{ name: "own", id: chainId, rpc: tokens.chain.url, pollMilliseconds: 100, database }];
    return writeFile(join(folder, name), JSON.stringify({ chains, databases: { a: { url: first.url }, b: { url: second.url } } }));
  };
  const waitForHeadIn = async ({ database }: TestDatabase): Promise<void> => {
    const head = await tokens.chain.head();
    await until("the head to be indexed", () => isIndexed(database, chainId, head));
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-move-"));
    [tokens, control, a, b] = await Promise.all([startTokenChain(), createTestDatabase(), createTestDatabase(), createTestDatabase()]);
    await writeConfig("ashlar.yaml", "a");
    await writeConfig("moved.yaml", "b");
    ({ key } = await createKeys(databases().control.database).create({ label: "move" }));
  });
  afterAll(async () => {
    await tokens?.chain.stop();
    await Promise.all([control?.drop(), a?.drop(), b?.drop()]);
    await rm(folder, { recursive: true, force: true });
  });

  it("rejects an unknown chain or database, and the chain's own database", async () => {
    expect(await runToExit(["chains", "move", "own", "--to", "c"])).toEqual([
      1,
      'Invalid value "c" for --to: expected a or b or control.\n',
    ]);
    expect(await runToExit(["chains", "move", "own", "--to", "a"])).toEqual([
      1,
      'Invalid value "a" for --to: expected a database other than the current one of own. Nothing was changed.\n',
    ]);
    expect(await runToExit(["chains", "move", "other", "--to", "b"])).toEqual([
      1,
      'Invalid value "other" for the chain: expected a configured chain (own).\n',
    ]);
    expect(await databases().b.database.query("SELECT chain_id FROM chains")).toEqual([]);
  });

  it("moves a chain that is being indexed and served, resumes after a kill, and fails no request", async () => {
    const { control: keys, a: before, b: after } = databases();
    const started: RunningCommand[] = [];
    const servers: ServerProcess[] = [];
    const start = (...args: string[]): RunningCommand => {
      const running = run(args);
      started.push(running);
      return running;
    };
    try {
      const oldIndexer = start("index", "--config", "ashlar.yaml");
      await waitForHeadIn(before);
      await before.database.query(
        `INSERT INTO base_reads (chain_id, key, block_number, value, reverted)
         SELECT ${chainId}, sha256(i::text::bytea), 1, sha256(('v' || i)::bytea), false FROM generate_series(1, ${extraRowCount}) i`,
      );
      servers.push(await startServer(join(folder, "ashlar.yaml"), keys.url));
      const requests = startRequests(servers, `/v1/own/address/${tokens.trader}/balances_v2/`, key);

      // Files that an earlier command left behind are not used.
      await mkdir(join(folder, "snapshot", "move-own"), { recursive: true });
      await writeFile(join(folder, "snapshot", "move-own", "manifest.json"), "{}");
      const killed = start("chains", "move", "own", "--to", "b", "--folder", "snapshot");
      const isRestoring = () => after.database.query("SELECT 1 FROM chain_restores").then((rows) => rows.length > 0);
      await until("the restore to begin", isRestoring);
      killed.child.kill("SIGKILL");
      await killed.exited;
      expect(await isRestoring()).toBe(true);
      await tokens.grow(3);

      const mover = start("chains", "move", "own", "--to", "b", "--folder", "snapshot");
      await until("the copy to catch up with the original", () => mover.output().includes("own is indexed as far in b as in a."));
      expect(mover.output()).not.toContain("Snapshot of");
      expect(await readdir(join(folder, "snapshot"))).toEqual([]);
      await tokens.grow(3);
      await waitForHeadIn(after);

      servers.push(await startServer(join(folder, "moved.yaml"), keys.url));
      const [old] = servers.splice(0, 1);
      await old?.stop();
      const newIndexer = start("index", "--config", "moved.yaml");
      await until("the new indexer to wait", () => newIndexer.output().includes("waiting to take over when it stops"));
      mover.child.kill("SIGINT");
      expect(await mover.exited).toBe(0);
      await tokens.grow(3);
      await Promise.all([waitForHeadIn(before), waitForHeadIn(after)]);
      expect(await hashContents(after.database)).toEqual(await hashContents(before.database));
      expect(await requests.stop()).toEqual({ 200: expect.any(Number) });

      oldIndexer.child.kill("SIGTERM");
      expect(await oldIndexer.exited).toBe(0);
      expect((await runToExit(["chains", "status", "--config", "moved.yaml"]))[1]).toMatch(
        /^own {2}block .* {2}in a\nDatabase b: .*\nown {2}block .* {2}in b\n$/m,
      );
      const [code, output] = await runToExit(["chains", "remove", "own", "--config", "moved.yaml", "--database", "a", "--yes", "own"]);
      expect([code, output]).toEqual([0, expect.stringContaining("All rows of own in a are deleted")]);
      expect(output).not.toContain("is still configured");
      expect(await before.database.query("SELECT chain_id FROM chains")).toEqual([]);
      await tokens.grow(1);
      await waitForHeadIn(after);
      const latest = await fetch(`${servers[0]?.url}/v1/own/block_v2/latest/`, { headers: { authorization: `Bearer ${key}` } });
      expect(await latest.json()).toMatchObject({ data: { items: [{ height: await tokens.chain.head() }] } });

      // The chain is moved back into the control database.
      const back = start("chains", "move", "own", "--config", "moved.yaml", "--to", "control");
      await until("the copy to catch up with the original", () => back.output().includes("own is indexed as far in control as in b."));
      expect(back.output()).toContain("delete the setting database of own");
      back.child.kill("SIGINT");
      expect(await back.exited).toBe(0);
      expect(await keys.database.query("SELECT name FROM chains")).toEqual([{ name: "own" }]);
      expect((await runToExit(["chains", "pause", "own", "--config", "moved.yaml"]))[0]).toBe(0);
      expect(await runToExit(["chains", "move", "own", "--config", "moved.yaml", "--to", "control"])).toEqual([
        1,
        expect.stringContaining("own is paused in b, but a move indexes its copy: run ashlar chains resume own"),
      ]);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
      for (const { child } of started) if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
      await Promise.all(started.map(({ exited }) => exited));
    }
  });
});

/** Sends requests sequentially to the first server until `stop`, which counts the responses by status. */
function startRequests(servers: readonly ServerProcess[], path: string, key: string) {
  const counts: Record<string, number> = {};
  let isStopped = false;
  const sending = (async () => {
    while (!isStopped) {
      const [server] = servers;
      const status = await fetch(`${server?.url}${path}`, { headers: { authorization: `Bearer ${key}` } }).then(
        async (response) => {
          await response.text();
          return response.status;
        },
        (error: unknown) => String(error),
      );
      counts[status] = (counts[status] ?? 0) + 1;
      await wait(20);
    }
  })();
  return {
    async stop(): Promise<Record<string, number>> {
      isStopped = true;
      await sending;
      return counts;
    },
  };
}
