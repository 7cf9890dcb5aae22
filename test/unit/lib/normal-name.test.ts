import { normalize } from "viem/ens";
import { describe, expect, it } from "vitest";
import { normalizeName } from "../../../runtime/lib/normalize-name.ts";

describe("names", () => {
  it("are normalised as ENSIP-15 specifies", () => {
    expect(normalizeName("Nick.ETH")).toBe("nick.eth");
    // The reference implementation's example: the presentation selector of an emoji is removed.
    expect(normalizeName("RaFFY\u{1F6B4}‍♂️.eTh")).toBe("raffy\u{1F6B4}‍♂.eth");
    expect(normalizeName("a..eth")).toBeNull();
    expect(normalizeName("a_b.eth")).toBeNull();
    // A Cyrillic letter between Latin letters.
    expect(normalizeName("vit\u0430lik.eth")).toBeNull();
    expect(normalizeName("")).toBeNull();
    expect(normalizeName("a\u0000b.eth")).toBeNull();
  });

  it.each(["alice", "a-b.c--d.eth", "ab--c.eth", "x.ab--c", "-a-.eth", "1.2.3", "xn--abc.eth", "a.-", "ab-", "abc--d.eth", "a."])(
    "equal the reference implementation's result if they have only ASCII characters (%s)",
    (name) => {
      let expected: string | null = null;
      try {
        expected = normalize(name);
      } catch {
        // Not a valid name.
      }
      expect(normalizeName(name)).toBe(expected);
    },
  );

  // Unicode emoji sequences (UTS #51) that ENSIP-15 allows: sequences joined by U+200D, tag sequences and keycaps.
  it.each([
    ["a family", "\u{1F468}\u200d\u{1F469}\u200d\u{1F467}.eth", "\u{1F468}\u200d\u{1F469}\u200d\u{1F467}.eth"],
    ["a rainbow flag", "\u{1F3F3}\ufe0f\u200d\u{1F308}.eth", "\u{1F3F3}\u200d\u{1F308}.eth"],
    [
      "the flag of England",
      "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}.eth",
      "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}.eth",
    ],
    ["a keycap", "#\ufe0f\u20e3.eth", "#\u20e3.eth"],
  ])("may contain %s", (_, name, normal) => {
    expect(normalizeName(name)).toBe(normal);
  });

  it.each(["ni\u200dck.eth", "\u200d.eth", "a\u200cb.eth", "a\u200e.eth", "\u{1F468}\u200d.eth", "\u{E0067}.eth"])(
    "are invalid with joiners or marks outside emoji (%j)",
    (name) => {
      expect(normalizeName(name)).toBeNull();
    },
  );
});
