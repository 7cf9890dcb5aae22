import { describe, expect, it } from "vitest";
import { spamAmong } from "../../../../runtime/api/tokens/spam.ts";
import { builtInRules } from "../../../../runtime/domains/tokens/classification/built-in.ts";
import { createClassifier } from "../../../../runtime/domains/tokens/classification/classifier.ts";
import type { TokenMetadata } from "../../../../runtime/domains/tokens/queries/metadata.ts";
import { addressOf } from "../queries/hand-index.ts";

const chain = { id: 7, name: "hand" };
const named = (number: number, name: string): TokenMetadata => ({
  address: addressOf(number),
  name,
  symbol: "S",
  decimals: 18,
  standards: [1],
});
const [lure, gift, lucky, plain] = [named(1, "Claim now"), named(2, "Lucky Gift"), named(3, "Free Ross"), named(4, "Plain Coin")];

describe("the tokens of an answer", () => {
  it("are judged once each, and the database is asked about those whose name makes it matter", async () => {
    const judged: string[] = [];
    const rules = createClassifier(builtInRules);
    const classifier: typeof rules = {
      ...rules,
      isSpam: (token, handedOut) => {
        judged.push(token.address);
        return rules.isSpam(token, handedOut);
      },
    };
    const asked: string[] = [];
    // How tokens were handed out is read from logs, of which this test has none.
    const tokens = {
      handedOut: async (_chainId: number, addresses: readonly string[]) => {
        asked.push(...addresses);
        return new Set([gift.address]);
      },
    };
    const spam = await spamAmong({ classifier, tokens } as never, chain as never, [lure, gift, lucky, plain]);
    expect([...spam]).toEqual([lure.address, gift.address]);
    expect(judged).toEqual([lure, gift, lucky, plain].map(({ address }) => address));
    expect(asked).toEqual([gift.address, lucky.address]);
  });
});
