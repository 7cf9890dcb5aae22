import { describe, expect, it } from "vitest";
import { builtInRules } from "../../../../runtime/domains/tokens/classification/built-in.ts";
import { type ClassifiedToken, createClassifier } from "../../../../runtime/domains/tokens/classification/classifier.ts";
import { loadRules, parseRules } from "../../../../runtime/domains/tokens/classification/load-rules.ts";
import type { Counterparty } from "../../../../runtime/domains/tokens/classification/poisoning.ts";
import { renderRules } from "../../../../runtime/domains/tokens/classification/render-rules.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";

const classifier = createClassifier(builtInRules);
const account = (start: string, end: string, middle = "0"): Address => `0x${start}${middle.repeat(40 - start.length - end.length)}${end}`;
/** The contract of USD Coin on Ethereum, as published by its issuer. */
const usdc: Address = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
const token = (overrides: Partial<ClassifiedToken> = {}): ClassifiedToken => ({
  chainId: 1,
  address: account("1234", "5678"),
  standard: 1,
  name: "Some Token",
  symbol: "SOME",
  decimals: 18,
  ...overrides,
});
const ruleOfSpam = (overrides: Partial<ClassifiedToken>): string | null => {
  const { value, rule } = classifier.isSpam(token(overrides));
  return value ? rule : null;
};

describe("the type of a token", () => {
  it("is nft by its standard, regardless of its value", () => {
    expect(classifier.typeOf(token({ standard: 2 }), null).value).toBe("nft");
    expect(classifier.typeOf(token({ standard: 3 }), 0.01).value).toBe("nft");
  });

  it("is stablecoin by address, regardless of its symbol", () => {
    expect(classifier.typeOf(token({ address: usdc, symbol: "OTHER" }), null)).toMatchObject({
      value: "stablecoin",
      rule: "stablecoin-address",
    });
  });

  it("is stablecoin by symbol and decimals only on chains without configured addresses", () => {
    expect(classifier.typeOf(token({ chainId: 31337, symbol: "USDC", decimals: 6 }), null).value).toBe("stablecoin");
    expect(classifier.typeOf(token({ chainId: 31337, symbol: "USDC", decimals: 9 }), null).value).toBe("cryptocurrency");
    expect(classifier.typeOf(token({ chainId: 1, symbol: "USDC", decimals: 6 }), null).value).toBe("cryptocurrency");
  });

  it("is dust below 0.10 USD, and never without a price", () => {
    expect(classifier.typeOf(token(), 0.0999).value).toBe("dust");
    expect(classifier.typeOf(token(), 0.1).value).toBe("cryptocurrency");
    expect(classifier.typeOf(token(), null).value).toBe("cryptocurrency");
    expect(classifier.typeOf(token({ standard: 0, symbol: "ETH" }), 0.05).value).toBe("dust");
    expect(classifier.typeOf(token({ standard: 0, symbol: "xDAI" }), null).value).toBe("cryptocurrency");
  });
});

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
    "searches behind as many %j as fit into a name",
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

  it("detects a token that was distributed in bulk and has an airdrop word in its name, but not one with only one of the two", () => {
    const gift = token({ name: "Lucky Whale" });
    expect(classifier.isSpam(gift, true)).toMatchObject({ value: true, rule: "airdrop" });
    expect(classifier.isSpam(gift, false).value).toBe(false);
    expect(classifier.isSpam(token(), true).value).toBe(false);
    expect(classifier.mayBeAirdrop(gift)).toBe(true);
    expect(classifier.mayBeAirdrop(token())).toBe(false);
    // Neither a token that is spam already nor a trusted one needs the distribution.
    expect(classifier.mayBeAirdrop(token({ name: "Claim your prize" }))).toBe(false);
    const trusting = createClassifier(parseRules("rules.yaml", `trusted: { 1: [${gift.address}] }`));
    expect(trusting.mayBeAirdrop(gift)).toBe(false);
    const disabled = createClassifier(parseRules("rules.yaml", "airdrops: { words: [], transfers: 200, perTransaction: 20 }"));
    expect(disabled.mayBeAirdrop(gift)).toBe(false);
  });

  it("follows the operator's lists first", () => {
    const configured = createClassifier(
      parseRules("rules.yaml", `trusted: { 1: [${account("aaaa", "aaaa")}] }\nspam: { 1: [${account("bbbb", "bbbb")}] }`),
    );
    expect(configured.isSpam(token({ address: account("aaaa", "aaaa"), name: "claim" }))).toMatchObject({ value: false, rule: "trusted" });
    expect(configured.isSpam(token({ address: account("bbbb", "bbbb") }))).toMatchObject({ value: true, rule: "spam-list" });
    expect(configured.isSpam(token({ chainId: 2, address: account("bbbb", "bbbb") })).value).toBe(false);
  });
});

describe("poisoning", () => {
  const wallet = account("c0ffee", "c0ffee");
  const friend = account("abcd", "ef01", "1");
  const lookalike = account("abcd", "ef01", "2");
  const unknownAddress = account("9999", "9999", "3");
  /** The wallet sent to its friend in block 10; transfers are classified in block 20. */
  const knownFriend: Counterparty = { address: friend, since: 10, sentSince: 10 };
  interface TransferOverrides {
    readonly from?: Address;
    readonly to?: Address;
    readonly amount?: string;
    readonly sender?: Address;
    readonly block?: number;
  }
  const rule = (overrides: TransferOverrides, known: readonly Counterparty[] = [knownFriend]) =>
    classifier.isPoisoning(
      { wallet, block: 20, from: wallet, to: lookalike, amount: "0", sender: unknownAddress, ...overrides },
      classifier.counterpartiesOf(known),
    ).rule;

  it("is a transfer of zero from or to an address that resembles a counterparty", () => {
    expect(rule({})).toBe("resembling-address");
    expect(rule({ from: lookalike, to: wallet })).toBe("resembling-address");
    expect(rule({ from: lookalike, to: wallet, sender: wallet })).toBe("resembling-address");
  });

  it("is a transfer of zero in the wallet's name by another sender", () => {
    expect(rule({ to: unknownAddress })).toBe("sent-by-others");
  });

  it("is not a nonzero transfer, a transfer with a counterparty, or one that the wallet sent itself", () => {
    expect(rule({ amount: "1" })).toBeNull();
    expect(rule({ to: friend })).toBeNull();
    expect(rule({ to: unknownAddress, sender: wallet })).toBeNull();
    expect(rule({ from: unknownAddress, to: wallet })).toBeNull();
    expect(rule({ to: wallet })).toBeNull();
  });

  it("is not affected by earlier dust from the lookalike or by later transfers", () => {
    const dust: Counterparty = { address: lookalike, since: 15, sentSince: null };
    expect(rule({ from: lookalike, to: wallet }, [knownFriend, dust])).toBe("resembling-address");
    // Once the wallet has sent to the lookalike, it is a counterparty as well.
    expect(rule({ from: lookalike, to: wallet }, [knownFriend, { ...dust, sentSince: 15 }])).toBeNull();
    expect(rule({ from: lookalike, to: wallet, block: 15 }, [knownFriend, { ...dust, sentSince: 15 }])).toBe("resembling-address");
    // A counterparty of the same block can be imitated, one of a later block cannot.
    expect(rule({ from: lookalike, to: wallet, block: 10 })).toBe("resembling-address");
    expect(rule({ from: lookalike, to: wallet, block: 9 })).toBeNull();
    // An address that only paid the wallet can be imitated as well.
    expect(rule({ from: lookalike, to: wallet }, [{ ...knownFriend, sentSince: null }])).toBe("resembling-address");
  });

  it("is found among thousands of lookalikes, and an address never resembles itself", () => {
    const others = Array.from(
      { length: 3_000 },
      (_, index): Counterparty => ({
        address: `0xabcd${index.toString(16).padStart(32, "5")}ef01` as Address,
        since: 12 + (index % 5),
        sentSince: index % 7 === 0 ? 15 : null,
      }),
    );
    expect(rule({}, others)).toBe("resembling-address");
    expect(rule({ block: 11 }, others)).toBe("sent-by-others");
    // The later of two similar counterparties imitates the earlier one, but not vice versa.
    const second: Counterparty = { address: lookalike, since: 12, sentSince: 12 };
    expect(rule({ block: 12 }, [knownFriend, second])).toBe("resembling-address");
    expect(rule({ to: friend, block: 12 }, [knownFriend, second])).toBeNull();
    expect(rule({ to: friend, block: 11 }, [knownFriend])).toBeNull();
    expect(rule({ block: 13 }, [second])).toBeNull();
  });

  it("is not a transfer in the name of a wallet that never sends transactions, such as a contract", () => {
    expect(rule({ to: unknownAddress }, [{ ...knownFriend, sentSince: null }])).toBeNull();
  });

  it("depends on the configured number of digits", () => {
    const strict = createClassifier(parseRules("rules.yaml", "poisoning: { matchingDigits: 5, sentByOthers: false }"));
    const counterparties = strict.counterpartiesOf([knownFriend]);
    expect(
      strict.isPoisoning({ wallet, block: 20, from: wallet, to: lookalike, amount: 0n, sender: unknownAddress }, counterparties).value,
    ).toBe(false);
  });
});

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

  it("may contain addresses with and without quotes, in any case", () => {
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
  ])("is rejected with the position of the error: %j", (text, message) => {
    expect(() => parseRules("rules.yaml", text)).toThrow(message);
  });

  it("is named in the error if it cannot be read", () => {
    expect(() => loadRules("/nowhere/rules.yaml")).toThrow("Classification rules in /nowhere/rules.yaml cannot be read (ENOENT");
  });
});
