import { describe, expect, it } from "vitest";
import { type ClassifiedToken, createClassifier } from "../../../../../runtime/domains/tokens/classification/classifier.ts";
import { parseRules } from "../../../../../runtime/domains/tokens/classification/load-rules.ts";
import { account, classifier, token, usdc } from "./tokens.ts";

const ruleOfSpam = (overrides: Partial<ClassifiedToken>): string | null => {
  const { value, rule } = classifier.isSpam(token(overrides));
  return value ? rule : null;
};

describe("spam classification", () => {
  it.each(["https://example.com/free", "$ 1000 usdc-gift.xyz", "www.example.gift", "Open t.me/freecoins", "token [dot] io", "ехаmрlе.соm"])(
    "detects the web address in the name %j",
    (name) => {
      expect(ruleOfSpam({ name })).toBe("web-address");
      expect(ruleOfSpam({ name: null, symbol: name })).toBe("web-address");
    },
  );

  it.each(["Claim your bonus", "VISIT to get more", "Reward", "ETH Rewards", "Free Airdrop", "сlаim now", "cla\u200bim", "Ｃｌａｉｍ"])(
    "detects the spam word in the name %j",
    (name) => {
      expect(ruleOfSpam({ name })).toBe("lure-word");
    },
  );

  it.each([
    ["yearn.finance", "YFI"],
    ["Curve.fi DAI/USDC/USDT", "3Crv"],
    ["Crypto.com Coin", "CRO"],
    ["Wrapped Ether", "WETH"],
    ["Reclaim Protocol", "RCLM"],
    ["Version 1.5 Coin", "V1.5"],
    ["Staked St. Com", "SC"],
  ])("accepts %j (%s)", (name, symbol) => {
    expect(classifier.isSpam(token({ name, symbol }))).toEqual({ value: false, rule: null, reason: null });
  });

  // NFKC expands U+3316 to six letters and U+FDFA to eighteen, so a name of 200 characters becomes up to 3,600.
  it.each(["\u3316", "\ufdfa", "\u0301", "-", "(", "a", "a-", "ab.", "\u{1f468}\u200d"])(
    "finds words in a name that is filled up with %j",
    (filler) => {
      const withFiller = (word: string) => {
        const fillerLength = 200 - [...word].length - 1;
        return `${[...filler.repeat(fillerLength)].slice(0, fillerLength).join("")} ${word}`;
      };
      expect(ruleOfSpam({ name: withFiller("claim") })).toBe("lure-word");
      expect(ruleOfSpam({ name: withFiller("gift-a.xyz") })).toBe("web-address");
      expect(ruleOfSpam({ name: withFiller("https://a") })).toBe("web-address");
      expect(ruleOfSpam({ name: withFiller("coin") })).toBeNull();
    },
  );

  it.each([
    ["see usdc-gift.xyz now", "usdc-gift.xyz"],
    ["--gift.xyz", "gift.xyz"],
    ["a.b.c.com", "c.com"],
    ["token [dot] io", "token [dot] io"],
    ["ехаmрlе(.)соm", "example(.)com"],
    ["𝐠𝐢𝐟𝐭.xyz", "gift.xyz"],
    ["gift-.xyz", "gift-.xyz"],
    ["b.a curve.fi gift.fi", "gift.fi"],
  ])("reports the web address in %j", (name, address) => {
    expect(classifier.isSpam(token({ name }))).toMatchObject({
      value: true,
      reason: `The name or symbol contains the web address "${address}".`,
    });
  });

  it("reports 100 characters of a longer address", () => {
    const address = `https://${"a".repeat(150)}`;
    expect(classifier.isSpam(token({ name: address })).reason).toBe(
      `The name or symbol contains the web address "${address.slice(0, 100)}".`,
    );
  });

  it("detects a stablecoin's symbol at an address that is not configured", () => {
    expect(ruleOfSpam({ symbol: "USDC", decimals: 6 })).toBe("fake-stablecoin");
    expect(ruleOfSpam({ symbol: "usdt" })).toBe("fake-stablecoin");
    expect(ruleOfSpam({ symbol: "USDC", address: usdc })).toBeNull();
    expect(ruleOfSpam({ symbol: "USDC", decimals: 6, chainId: 31337 })).toBeNull();
  });

  // Cyrillic U+0405 and U+0421, full width, zero width, digits for letters, a lower-case L for an I, the tugrik sign, and punctuation.
  it.each(["U\u0405D\u0421", "ＵＳＤＣ", "US\u200bDC", "U5DC", "DAl", "DA1", "USD\u20ae", "USDC.", "U\u0301SDT", "$USDT"])(
    "detects a symbol that looks like a stablecoin's, on any chain: %j",
    (symbol) => {
      expect(ruleOfSpam({ symbol, chainId: 31337 })).toBe("look-alike-symbol");
    },
  );

  it("accepts a configured stablecoin with an unusual symbol", () => {
    expect(ruleOfSpam({ chainId: 42161, symbol: "USD\u20ae0", address: "0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9" })).toBeNull();
  });

  it("never applies to the native token", () => {
    expect(ruleOfSpam({ standard: 0, symbol: "USDT", name: "Claim" })).toBeNull();
  });

  it("detects an airdrop only by both a bulk distribution and a word in the name", () => {
    const gift = token({ name: "Lucky Whale" });
    expect(classifier.isSpam(gift, true)).toMatchObject({ value: true, rule: "airdrop" });
    expect(classifier.isSpam(gift, false).value).toBe(false);
    expect(classifier.isSpam(token(), true).value).toBe(false);
    expect(classifier.mayBeAirdrop(gift)).toBe(true);
    expect(classifier.mayBeAirdrop(token())).toBe(false);
    // The distribution is not needed for a token that is already spam, or that is trusted.
    expect(classifier.mayBeAirdrop(token({ name: "Claim your prize" }))).toBe(false);
    const trusting = createClassifier(parseRules("rules.yaml", `trusted: { 1: [${gift.address}] }`));
    expect(trusting.mayBeAirdrop(gift)).toBe(false);
    const disabled = createClassifier(parseRules("rules.yaml", "airdrops: { words: [], transfers: 200, perTransaction: 20 }"));
    expect(disabled.mayBeAirdrop(gift)).toBe(false);
  });

  it("gives precedence to the operator's lists", () => {
    const configured = createClassifier(
      parseRules("rules.yaml", `trusted: { 1: [${account("aaaa", "aaaa")}] }\nspam: { 1: [${account("bbbb", "bbbb")}] }`),
    );
    expect(configured.isSpam(token({ address: account("aaaa", "aaaa"), name: "claim" }))).toMatchObject({ value: false, rule: "trusted" });
    expect(configured.isSpam(token({ address: account("bbbb", "bbbb") }))).toMatchObject({ value: true, rule: "spam-list" });
    expect(configured.isSpam(token({ chainId: 2, address: account("bbbb", "bbbb") })).value).toBe(false);
  });
});
