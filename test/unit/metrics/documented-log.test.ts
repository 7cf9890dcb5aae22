import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { type LoggedEvent, loggedEvents } from "../../support/logged-events.ts";

const page = await readFile(new URL("../../../docs/operations/logs.md", import.meta.url), "utf8");
const rows = Array.from(page.matchAll(/^\| (debug|info|warn|error) +\| (.+?) +\|/gm), ([, level = "", message = ""]) => ({
  level,
  message,
}));
const textOf = ({ level, message }: LoggedEvent): string => `${level}: ${message}`;

describe("docs/operations/logs.md", () => {
  it("lists the messages that the program logs, with their levels", async () => {
    const logged = new Set((await loggedEvents()).map(textOf));
    expect(logged.size).toBeGreaterThan(30);
    expect(rows.map(textOf).sort()).toEqual([...logged].sort());
  });
});
