import { writeFile } from "node:fs/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { setUpCommands } from "../../support/commands/set-up-commands.ts";

const { runToExit, inFolder, database } = setUpCommands();
const token = "0x00000000000000000000000000000000000000aa";
const recomputationNote = "The process that indexes the chain recomputes them; if none is running, the next run of ashlar index will.\n";

beforeEach(async () => {
  await writeFile(inFolder("ashlar.yaml"), "chains: [{ name: one, id: 7 }, { name: two, id: 8, prices: { sources: [pools] } }]");
  await writeFile(inFolder("good.csv"), `asset,time,price\n${token},1970-01-02,1.5\n${token},1970-01-03T06:00:00Z,\nEUR,3600,1.1\n`);
  await writeFile(inFolder("bad.csv"), `asset,time,price\n${token},1970-01-01,7\n${token},tomorrow,8\n`);
});

const imports = () => database().query("SELECT chain_id, asset, since, price FROM price_imports ORDER BY asset, since");
const revision = async () =>
  (await database().query<{ revision: number }>("SELECT revision FROM price_settings WHERE chain_id = 7"))[0]?.revision ?? 0;
/** Replaces two chains' computed prices with prices for the hours 0, 24 and 48 since 1970. */
const insertComputedPrices = async () => {
  await database().query("DELETE FROM price_hours");
  for (const hour of [0, 24, 48]) {
    await database().query("INSERT INTO price_hours VALUES (7, '\\x01', $1, 1, 1, 1, 1, NULL), (8, '\\x01', $1, 1, 1, 1, 1, NULL)", [hour]);
  }
};
const hoursOf = async (chainId: number) =>
  (await database().query<{ hour: number }>("SELECT hour FROM price_hours WHERE chain_id = $1 ORDER BY hour", [chainId])).map(
    ({ hour }) => hour,
  );

describe("ashlar prices import", () => {
  it("escapes a file's control characters in messages", async () => {
    await writeFile(inFolder("hostile.csv"), "asset,time,price\n\u009b2J\u202eAAA\u001b[31m,1970-01-01,7\n");
    const [code, output] = await runToExit(["prices", "import", "hostile.csv", "--chain", "one"]);
    expect(code).toBe(1);
    expect(output).toContain('Invalid asset "\\u009b2J\\u202eAAA\\u001b[31m": expected an address');
    expect(output).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u);
  });

  it("stores a file's prices, and discards computed prices since the first imported one", async () => {
    await insertComputedPrices();
    const before = await revision();
    expect(await runToExit(["prices", "import", "good.csv", "--chain", "one"])).toEqual([
      0,
      `Imported 3 prices of one; computed prices since the earliest one must be recomputed. ${recomputationNote}`,
    ]);
    expect(await imports()).toEqual([
      { chain_id: 7, asset: token, since: 86_400, price: "1.5" },
      { chain_id: 7, asset: token, since: 2 * 86_400 + 6 * 3_600, price: null },
      { chain_id: 7, asset: "0x455552", since: 3_600, price: "1.1" },
    ]);
    // The first imported price is at hour 1.
    expect([await hoursOf(7), await hoursOf(8)]).toEqual([[0], [0, 24, 48]]);
    expect(await revision()).toBe(before + 1);
  });

  it("imports a corrected file again and replaces its prices", async () => {
    await runToExit(["prices", "import", "good.csv", "--chain", "one"]);
    await writeFile(inFolder("good.csv"), `asset,time,price\n${token},1970-01-02,2\n`);
    expect((await runToExit(["prices", "import", "good.csv", "--chain", "one"]))[0]).toBe(0);
    expect((await imports())[0]).toMatchObject({ since: 86_400, price: "2" });
    expect(await imports()).toHaveLength(3);
  });

  it("imports nothing from a file with an error, and reports its line", async () => {
    const before = await imports();
    const [code, output] = await runToExit(["prices", "import", "bad.csv", "--chain", "one"]);
    expect(code).toBe(1);
    expect(output).toContain('bad.csv:3: Invalid time "tomorrow": expected YYYY-MM-DD');
    expect(await imports()).toEqual(before);
  });

  it.each([
    [["nowhere.csv", "--chain", "one"], "Cannot read nowhere.csv: no such file; pass the path of a CSV file.\n"],
    [["good.csv"], "Several chains are configured (one, two); choose one with --chain NAME.\n"],
    [["good.csv", "--chain", "two"], "Prices of two are not computed from files; add file to its prices.sources in ashlar.yaml.\n"],
  ])("prints what to do for the arguments %j", async (args, message) => {
    expect(await runToExit(["prices", "import", ...args])).toEqual([1, message]);
  });
});

describe("ashlar prices rebuild", () => {
  it("discards all of the chain's computed prices, and keeps imported ones", async () => {
    await insertComputedPrices();
    const kept = await imports();
    const before = await revision();
    expect(await runToExit(["prices", "rebuild", "--chain", "one"])).toEqual([
      0,
      `Discarded the computed prices of one. ${recomputationNote}`,
    ]);
    expect([await hoursOf(7), await hoursOf(8)]).toEqual([[], [0, 24, 48]]);
    expect(await imports()).toEqual(kept);
    expect(await revision()).toBe(before + 1);
  });
});

describe("ashlar prices", () => {
  it("describes its subcommands", async () => {
    const [code, output] = await runToExit(["prices", "--help"]);
    expect(code).toBe(0);
    expect(output).toMatch(/import .*<file>[\s\S]*rebuild/);
  });
});
