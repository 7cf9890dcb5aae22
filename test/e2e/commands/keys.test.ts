import { describe, expect, it } from "vitest";
import { setUpCommands } from "../../support/commands/set-up-commands.ts";

const { runToExit } = setUpCommands();

describe("a key's limits", () => {
  it("can be set at the key's creation, changed, removed and listed", async () => {
    const limits = ["--limit", "concurrentRequests=3", "--limit", "databaseSecondsPerMinute=unlimited", "--limit", "bytesInFlight=default"];
    const [code, output] = await runToExit(["keys", "create", "--label", "limited", "--credits", "7", ...limits]);
    expect(code).toBe(0);
    const id = /^Key (\d+) \(limited\): ckey_/m.exec(output)?.[1] ?? "";
    const listed = async () => (await runToExit(["keys", "list"]))[1].split("\n").find((line) => line.startsWith(`${id}  `));
    expect(await listed()).toMatch(/ {2}0 calls, 0 credits of 7 {2}concurrentRequests=3 {2}databaseSecondsPerMinute=unlimited$/);
    const changes = [
      "--label",
      "renamed",
      "--credits",
      "unlimited",
      "--limit",
      "concurrentRequests=default",
      "--limit",
      "bytesInFlight=1000",
    ];
    expect(await runToExit(["keys", "update", id, ...changes])).toEqual([0, `Key ${id} is updated.\n`]);
    expect(await listed()).toMatch(/ {2}renamed {2}.* {2}0 calls, 0 credits {2}bytesInFlight=1000 {2}databaseSecondsPerMinute=unlimited$/);
  });
});

describe("a key's quotas and rules", () => {
  it("can be set at the key's creation, changed, removed and listed", async () => {
    const quotas = ["--daily-credits", "10", "--monthly-credits", "200", "--expires", "2099-01-31"];
    const rules = ["--allow-chain", "demo", "--allow-chain", "1", "--allow-origin", "https://App.example", "--allow-address", "10.0.0.0/8"];
    const [code, output] = await runToExit(["keys", "create", "--label", "capped", ...quotas, ...rules]);
    expect(code).toBe(0);
    const id = /^Key (\d+) \(capped\): ckey_/m.exec(output)?.[1] ?? "";
    const listed = async () => (await runToExit(["keys", "list"]))[1].split("\n").find((line) => line.startsWith(`${id}  `));
    expect(await listed()).toMatch(
      / {2}10 credits per day {2}200 credits per month {2}expires 2099-01-31T00:00:00.000Z {2}chains=demo,1 {2}origins=https:\/\/app.example {2}addresses=10.0.0.0\/8$/,
    );
    const removed = ["--monthly-credits", "unlimited", "--expires", "never", "--allow-origin", "any", "--allow-address", "any"];
    const changes = ["--daily-credits", "20", "--allow-chain", "eth-mainnet", ...removed];
    expect(await runToExit(["keys", "update", id, ...changes])).toEqual([0, `Key ${id} is updated.\n`]);
    expect(await listed()).toMatch(/ 0 credits {2}20 credits per day {2}chains=eth-mainnet$/);
    expect(await runToExit(["keys", "create", "--label", "bad", "--allow-origin", "app.example"])).toEqual([
      1,
      'Invalid value "app.example" for --allow-origin: expected an origin such as https://app.example.com, or any.\n',
    ]);
  });
});
