import { describe, expect, it } from "vitest";
import { escapeTerminal, escapeTerminalLines } from "../../../runtime/lib/terminal-text.ts";

describe("text for a terminal", () => {
  it.each([
    ["a window title sequence", "\u001b]0;owned\u0007", "\\u001b]0;owned\\u0007"],
    ["a colour sequence with the C1 control CSI", "\u009b31mred", "\\u009b31mred"],
    ["a carriage return", "refused\rread", "refused\\u000dread"],
    ["a line break", "one\ntwo", "one\\u000atwo"],
    ["DEL and backspace", "a\u007fb\bc", "a\\u007fb\\u0008c"],
    ["bidirectional controls", "\u202eexe.gpj\u2066\u2069\u200f\u061c", "\\u202eexe.gpj\\u2066\\u2069\\u200f\\u061c"],
    ["Unicode separators", "a\u2028b\u2029c\u0085d", "a\\u2028b\\u2029c\\u0085d"],
    ["a NUL", "a\0b", "a\\u0000b"],
  ])("contains an escape for %s", (_, text, escaped) => {
    expect(escapeTerminal(text)).toBe(escaped);
  });

  it("is unchanged without control characters", () => {
    for (const text of ["Refused: 3 of 4", "\u0627\u0644\u0639\u0631\u0628\u064a\u0629", "\u{1f468}\u200d\u{1f469}", "日本 é ü", "\\u001b"])
      expect(escapeTerminal(text)).toBe(text);
  });

  it("contains line breaks only on request", () => {
    expect(escapeTerminalLines("one\ntwo\r\n\u001b[2J")).toBe("one\ntwo\\u000d\n\\u001b[2J");
  });
});
