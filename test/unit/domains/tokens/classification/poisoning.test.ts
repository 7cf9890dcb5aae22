import { describe, expect, it } from "vitest";
import { createClassifier } from "../../../../../runtime/domains/tokens/classification/classifier.ts";
import { parseRules } from "../../../../../runtime/domains/tokens/classification/load-rules.ts";
import type { Counterparty } from "../../../../../runtime/domains/tokens/classification/poisoning.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { account, classifier } from "./tokens.ts";

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
  const ruleOf = (overrides: TransferOverrides, counterparties: readonly Counterparty[] = [knownFriend]) =>
    classifier.isPoisoning(
      { wallet, block: 20, from: wallet, to: lookalike, amount: "0", sender: unknownAddress, ...overrides },
      classifier.counterpartiesOf(counterparties),
    ).rule;

  it("is a zero-amount transfer from or to an address that resembles a counterparty", () => {
    expect(ruleOf({})).toBe("resembling-address");
    expect(ruleOf({ from: lookalike, to: wallet })).toBe("resembling-address");
    expect(ruleOf({ from: lookalike, to: wallet, sender: wallet })).toBe("resembling-address");
  });

  it("is a zero-amount transfer in the wallet's name by another sender", () => {
    expect(ruleOf({ to: unknownAddress })).toBe("sent-by-others");
  });

  it("is not a nonzero transfer, a transfer with a counterparty, or one that the wallet sent itself", () => {
    expect(ruleOf({ amount: "1" })).toBeNull();
    expect(ruleOf({ to: friend })).toBeNull();
    expect(ruleOf({ to: unknownAddress, sender: wallet })).toBeNull();
    expect(ruleOf({ from: unknownAddress, to: wallet })).toBeNull();
    expect(ruleOf({ to: wallet })).toBeNull();
  });

  it("is not affected by earlier dust from the lookalike or by later transfers", () => {
    const dust: Counterparty = { address: lookalike, since: 15, sentSince: null };
    expect(ruleOf({ from: lookalike, to: wallet }, [knownFriend, dust])).toBe("resembling-address");
    // Once the wallet has sent to the lookalike, it is a counterparty as well.
    expect(ruleOf({ from: lookalike, to: wallet }, [knownFriend, { ...dust, sentSince: 15 }])).toBeNull();
    expect(ruleOf({ from: lookalike, to: wallet, block: 15 }, [knownFriend, { ...dust, sentSince: 15 }])).toBe("resembling-address");
    // A counterparty in the same block can be imitated, one in a later block cannot.
    expect(ruleOf({ from: lookalike, to: wallet, block: 10 })).toBe("resembling-address");
    expect(ruleOf({ from: lookalike, to: wallet, block: 9 })).toBeNull();
    // An address that only paid the wallet can be imitated as well.
    expect(ruleOf({ from: lookalike, to: wallet }, [{ ...knownFriend, sentSince: null }])).toBe("resembling-address");
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
    expect(ruleOf({}, others)).toBe("resembling-address");
    expect(ruleOf({ block: 11 }, others)).toBe("sent-by-others");
    // The later of two similar counterparties imitates the earlier one, but not vice versa.
    const second: Counterparty = { address: lookalike, since: 12, sentSince: 12 };
    expect(ruleOf({ block: 12 }, [knownFriend, second])).toBe("resembling-address");
    expect(ruleOf({ to: friend, block: 12 }, [knownFriend, second])).toBeNull();
    expect(ruleOf({ to: friend, block: 11 }, [knownFriend])).toBeNull();
    expect(ruleOf({ block: 13 }, [second])).toBeNull();
  });

  it("is not a transfer in the name of a wallet that never sends transactions, such as a contract", () => {
    expect(ruleOf({ to: unknownAddress }, [{ ...knownFriend, sentSince: null }])).toBeNull();
  });

  it("depends on the configured number of digits", () => {
    const strict = createClassifier(parseRules("rules.yaml", "poisoning: { matchingDigits: 5, sentByOthers: false }"));
    const counterparties = strict.counterpartiesOf([knownFriend]);
    expect(
      strict.isPoisoning({ wallet, block: 20, from: wallet, to: lookalike, amount: 0n, sender: unknownAddress }, counterparties).value,
    ).toBe(false);
  });
});
