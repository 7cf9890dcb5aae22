import { describe, expect, it } from "vitest";
import { insertChain } from "../../../runtime/indexer/storage/chain-record.ts";
import { setUpCommands } from "../../support/commands/set-up-commands.ts";

const { runToExit, database } = setUpCommands();

describe("ashlar chains", () => {
  it("pauses, resumes and removes a chain, which is logged together with key changes", async () => {
    await insertChain(database(), {
      id: 77,
      name: "other",
      genesisHash: `0x${"00".repeat(32)}`,
      from: 0,
      nativeAccounting: null,
    });
    const pausedMessage = "Paused indexing other: its indexer stops within seconds.\n";
    expect(await runToExit(["chains", "pause", "other"])).toEqual([0, pausedMessage]);
    expect(await runToExit(["chains", "pause", "other"])).toEqual([0, "Indexing of other is already paused.\n"]);
    expect(await runToExit(["chains", "status", "other"])).toEqual([
      0,
      expect.stringMatching(
        /^other {2}no blocks {2}paused since \d{4}-\S+Z\n {2}disk: unknown(?:.|\n)*\n {2}queue contract-reads: 0 entries, 0 of them attempted before\n/,
      ),
    ]);
    const setRemoval = (time: string) => database().query(`UPDATE chains SET removal_started_at = ${time} WHERE name = 'other'`);
    await setRemoval("now()");
    const refusal = "Cannot resume indexing of other: it is being removed. Nothing was changed.\n";
    expect(await runToExit(["chains", "resume", "other"])).toEqual([1, refusal]);
    await setRemoval("NULL");
    const resumedMessage = "Resumed indexing other: its indexer continues within seconds.\n";
    expect(await runToExit(["chains", "resume", "other"])).toEqual([0, resumedMessage]);
    expect(await runToExit(["chains", "retry-jobs", "other", "--queue", "none"])).toEqual([
      1,
      'Invalid value "none" for --queue: expected contract-reads or nft-metadata.\n',
    ]);
    expect(await runToExit(["chains", "refresh-metadata", "other"])).toEqual([
      1,
      "No token with metadata in the index of other. Nothing was changed.\n",
    ]);
    const unknown = await runToExit(["chains", "pause", "none"]);
    expect(unknown).toEqual([1, 'Invalid value "none" for the chain: expected an indexed chain (other).\n']);
    const [, created] = await runToExit(["keys", "create", "--label", "recorded", "--daily-credits", "10"]);
    const id = /^Key (\d+) /m.exec(created)?.[1] ?? "";
    await runToExit(["keys", "revoke", id]);
    const [code, output] = await runToExit(["log", "--limit", "4"]);
    expect(code).toBe(0);
    expect(output.split("\n").map((line) => line.replace(/^\S+Z {2}\S+@\S+ {2}/, ""))).toEqual([
      `key.revoke  ${id}`,
      `key.create  ${id}  {"label":"recorded","dailyCredits":10}`,
      "chain.resume  other",
      "chain.pause  other",
      "",
    ]);
    const warning = "All rows of other will be deleted, including its prices and metadata. Other chains and API keys are not affected.\n";
    expect(await runToExit(["chains", "remove", "other", "--yes", "one"])).toEqual([
      1,
      `${warning}Invalid confirmation "one": expected other. Nothing was changed.\n`,
    ]);
    expect(await runToExit(["chains", "remove", "other"])).toEqual([
      1,
      `${warning}Removing other requires confirmation: pass --yes other. Nothing was changed.\n`,
    ]);
    const [removeCode, removeOutput] = await runToExit(["chains", "remove", "other", "--yes", "other"]);
    expect([removeCode, removeOutput]).toEqual([0, expect.stringContaining("Done: other has been removed (0 rows).")]);
    expect(await database().query("SELECT 1 FROM chains WHERE name = 'other'")).toEqual([]);
    expect((await runToExit(["log", "--limit", "1"]))[1]).toMatch(/ {2}chain\.remove {2}other/);
  });
});
