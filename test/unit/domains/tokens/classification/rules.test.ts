import { describe, expect, it } from "vitest";
import { builtInRules } from "../../../../../runtime/domains/tokens/classification/built-in-rules.ts";
import { loadRules, parseRules } from "../../../../../runtime/domains/tokens/classification/load-rules.ts";
import { renderRules } from "../../../../../runtime/domains/tokens/classification/render-rules.ts";
import { usdc } from "./tokens.ts";

describe("a rules file", () => {
  it("replaces its sections and leaves the others at their defaults", () => {
    const rules = parseRules("rules.yaml", "dust: { belowUsd: 5 }");
    expect(rules).toEqual({ ...builtInRules, dust: { belowUsd: 5 } });
    expect(loadRules(undefined)).toBe(builtInRules);
    expect(parseRules("rules.yaml", "# nothing but a comment\n")).toEqual(builtInRules);
  });

  it("is rendered with comments from the current rules, and parses to the same rules", () => {
    const text = renderRules(builtInRules);
    expect(parseRules("rules.yaml", text)).toEqual(builtInRules);
    expect(text).toContain("rulesFile in ashlar.yaml");
    expect(text).toMatch(/ {2}# Number of hex digits at each end that two addresses must share to look alike\.\n {2}matchingDigits: 4/);
    const configured = parseRules("rules.yaml", `spam: { 1: [${usdc}] }`);
    expect(parseRules("rules.yaml", renderRules(configured)).spam).toEqual({ 1: [usdc] });
  });

  it("may contain addresses with and without quotes, in upper or lower case", () => {
    const text = `spam:\n  1:\n    - ${usdc.toUpperCase().replace("0X", "0x")}\n    - "${usdc}"\n`;
    expect(parseRules("rules.yaml", text).spam).toEqual({ 1: [usdc, usdc] });
  });

  it.each([
    ["dust:\n  belowUsd: cheap\n", "rules.yaml:2:3: dust.belowUsd: "],
    [
      "dust: { belowUsd: 1 }\nlure: {}\n",
      "rules.yaml:2:1: lure: unknown key; expected one of stablecoins, dust, lures, airdrops, poisoning, trusted, spam",
    ],
    ["spam:\n  1:\n    - 0x12\n", "rules.yaml:3:7: spam.1.0: expected an address: 0x followed by 40 hex digits"],
    ["spam:\n  main: []\n", "rules.yaml:2:3: spam.main: "],
    ["stablecoins:\n  - symbol: X\n", "rules.yaml:2:5: stablecoins.0.decimals: "],
    ["dust: { belowUsd: 1\n", "rules.yaml:"],
  ])("is rejected with the error's position: %j", (text, message) => {
    expect(() => parseRules("rules.yaml", text)).toThrow(message);
  });

  it("is named in the error if it cannot be read", () => {
    expect(() => loadRules("/nowhere/rules.yaml")).toThrow("Classification rules in /nowhere/rules.yaml cannot be read (ENOENT");
  });
});
