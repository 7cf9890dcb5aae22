import { readdir, readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const root = new URL("../../../", import.meta.url);
const page = await readFile(new URL("docs/operations/troubleshooting.md", root), "utf8");

/** The messages quoted in the tables' first columns: code with at least two words. */
const messages = Array.from(page.matchAll(/^\| ([^|]+) \|/gm))
  .flatMap(([, cell = ""]) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, message = ""]) => message))
  .filter((message) => message.includes(" ") || message.includes("…"));

/** Matches a message in the source, with an expression in place of each `…`. */
function patternOf(message: string): RegExp {
  const parts = message.split("…").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(parts.join(".{0,80}?"));
}

async function readSources(): Promise<string> {
  const runtime = new URL("runtime/", root);
  const names = (await readdir(runtime, { recursive: true })).filter((name) => name.endsWith(".ts"));
  return (await Promise.all(names.map((name) => readFile(new URL(name, runtime), "utf8")))).join("\n");
}

describe("docs/operations/troubleshooting.md", () => {
  it("quotes messages that exist in the source", async () => {
    const sources = await readSources();
    expect(messages.length).toBeGreaterThan(20);
    expect(messages.filter((message) => !patternOf(message).test(sources))).toEqual([]);
  });
});
