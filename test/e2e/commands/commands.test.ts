import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, describe, expect, it } from "vitest";
import { builtInRules } from "../../../runtime/domains/tokens/classification/built-in-rules.ts";
import { parseRules } from "../../../runtime/domains/tokens/classification/load-rules.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { setUpCommands } from "../../support/commands/set-up-commands.ts";
import { until } from "../../support/until.ts";

const { run, runToExit, inFolder, database, url } = setUpCommands();

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

describe("a command that fails", () => {
  it("reports an unusable database and its setting without the password, and exits with 1", async () => {
    const wrong = new URL(url());
    wrong.password = "wrong-secret";
    const [code, output] = await runToExit(["migrate"], { DATABASE_URL: wrong.href });
    expect([code, output]).toEqual([1, "The database cannot be used: it rejects this user and password (28P01); check DATABASE_URL.\n"]);
    const file = inFolder("url.yaml");
    await writeFile(file, JSON.stringify({ databaseUrl: wrong.href }));
    expect(await runToExit(["migrate", "--config", file], { DATABASE_URL: "" })).toEqual([
      1,
      "The database cannot be used: it rejects this user and password (28P01); check databaseUrl in the configuration.\n",
    ]);
    const refused = await runToExit(["serve", "--chain", "one", "--rpc", "http://127.0.0.1:1"], {
      DATABASE_URL: "postgresql://user:other-secret@127.0.0.1:1/none",
    });
    expect(refused).toEqual([1, "The database cannot be used: the connection was refused (ECONNREFUSED); check DATABASE_URL.\n"]);
  });

  it("reports a node that does not respond, without the secrets of its URL", async () => {
    const [code, output] = await runToExit(["index", "--chain", "one", "--rpc", "http://user:secret@127.0.0.1:1/private"]);
    expect(code).toBe(1);
    expect(output).toMatch(/^Cannot read the chain id of one from its node \(.*ECONNREFUSED.*\); check --rpc/);
    expect(output).not.toMatch(/secret|private/);
  });

  it("reports that its port is in use", async () => {
    const other = createServer();
    const node = createServer((_request, response) => response.end('{"jsonrpc":"2.0","id":1,"result":"0x5"}'));
    const port = await listen(other);
    const nodePort = await listen(node);
    const [code, output] = await runToExit(["serve", "--chain", "one", "--rpc", `http://127.0.0.1:${nodePort}`], { PORT: String(port) });
    expect([code, output]).toEqual([
      1,
      `Port ${port} of 127.0.0.1 is in use; choose a different one with PORT=… or stop the process that uses it.\n`,
    ]);
    other.close();
    node.close();
  });

  it("rejects unsafe integers and unknown keys", async () => {
    const [code, output] = await runToExit(["keys", "create", "--label", "one", "--credits", "100000000000000"]);
    expect([code, output]).toEqual([1, 'Invalid value "100000000000000" for --credits: expected an integer from 0 to 90071992547409.\n']);
    const revoked = await runToExit(["keys", "revoke", "99"]);
    expect(revoked).toEqual([1, "No active key with id 99; list the keys with: ashlar keys list\n"]);
    expect(await runToExit(["keys", "update", "99", "--label", "one"])).toEqual(revoked);
  });

  it("rejects unknown key limits and invalid values", async () => {
    const create = (limit: string) => runToExit(["keys", "create", "--label", "one", "--limit", limit]);
    expect(await create("requests=7")).toEqual([
      1,
      'Invalid value "requests=7" for --limit: expected NAME=VALUE with one of the names concurrentRequests, databaseSecondsPerMinute, bytesInFlight.\n',
    ]);
    for (const value of ["0", "1.5", "-1", "", "none"])
      expect(await create(`concurrentRequests=${value}`)).toEqual([
        1,
        `Invalid value "${value}" for --limit concurrentRequests: expected a positive number, unlimited or default.\n`,
      ]);
  });
});

describe("ashlar rules", () => {
  it("prints the effective classification rules, and reports an invalid file", async () => {
    const [code, output] = await runToExit(["rules"]);
    expect(code).toBe(0);
    expect(parseRules("rules.yaml", output)).toEqual(builtInRules);
    await writeFile(inFolder("rules.yaml"), "dust: { belowUsd: 7 }\n");
    await writeFile(inFolder("own.yaml"), "rulesFile: rules.yaml\n");
    expect(await runToExit(["rules", "--config", "own.yaml"])).toEqual([0, expect.stringMatching(/belowUsd: 7\n/)]);
    await writeFile(inFolder("rules.yaml"), "dusty: {}\n");
    expect(await runToExit(["rules", "--config", "own.yaml"])).toEqual([1, expect.stringContaining("rules.yaml:1:1: dusty: unknown key")]);
  });
});

describe("a stop signal", () => {
  const blockCount = 2500;
  let chain: TestChain;

  beforeAll(async () => {
    chain = await startTestChain();
    await chain.rpc("anvil_mine", [`0x${blockCount.toString(16)}`]);
    return chain.stop;
  });

  const readHeights = async () => {
    const [row] = await database().query<{ indexed: number; lowest: number; count: number }>(
      `SELECT coalesce(max(number), -1) AS indexed, count(*) AS count,
         coalesce((SELECT min(block_number) FROM projection_checkpoints), -1) AS lowest FROM blocks`,
    );
    return row ?? { indexed: -1, lowest: -1, count: 0 };
  };

  it("stops an indexer during its backfill at a batch boundary, where the next indexer continues", async () => {
    const args = ["index", "--chain", "one", "--rpc", chain.url];
    const first = run(args);
    await until("the first batch", async () => (await readHeights()).indexed >= 0);
    first.child.kill("SIGTERM");
    expect(await first.exited).toBe(0);
    const stopped = await readHeights();
    expect(stopped.indexed).toBeLessThan(blockCount);
    expect(stopped).toEqual({ indexed: stopped.indexed, lowest: stopped.indexed, count: stopped.indexed + 1 });

    const second = run(args);
    await until("the index to reach the head", async () => (await readHeights()).indexed === blockCount);
    second.child.kill("SIGTERM");
    expect(await second.exited).toBe(0);
    expect(await readHeights()).toEqual({ indexed: blockCount, lowest: blockCount, count: blockCount + 1 });
  });

  it("stops a server with exit code 0", async () => {
    const serving = run(["serve", "--chain", "one", "--rpc", chain.url]);
    await until("the server to start", () => serving.output().includes("Ashlar is listening at"));
    const url = /Ashlar is listening at (\S+);/.exec(serving.output())?.[1] ?? "";
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    serving.child.kill("SIGTERM");
    expect(await serving.exited).toBe(0);
  });
});
