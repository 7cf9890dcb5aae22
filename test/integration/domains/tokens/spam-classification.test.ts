import { describe, expect, it } from "vitest";
import { spamAmong } from "../../../../runtime/api/tokens/spam.ts";
import { builtInRules } from "../../../../runtime/domains/tokens/classification/built-in-rules.ts";
import { createClassifier } from "../../../../runtime/domains/tokens/classification/classifier.ts";
import type { TokenMetadata } from "../../../../runtime/domains/tokens/queries/metadata.ts";
import { addressOf } from "../queries/fixture-index.ts";

const chain = { id: 7, name: "fixture" };
const metadataOf = (number: number, name: string): TokenMetadata => ({
  address: addressOf(number),
  name,
  symbol: "S",
  decimals: 18,
  standards: [1],
});
const [lure, gift, lucky, plain] = [
  metadataOf(1, "Claim now"),
  metadataOf(2, "Lucky Gift"),
  metadataOf(3, "Free Ross"),
  metadataOf(4, "Plain Coin"),
];

describe("spamAmong", () => {
  it("classifies each token once and queries the distribution only for tokens whose name makes it relevant", async () => {
    const classified: string[] = [];
    const rules = createClassifier(builtInRules);
    const classifier: typeof rules = {
      ...rules,
      isSpam: (token, isAirdropped) => {
        classified.push(token.address);
        return rules.isSpam(token, isAirdropped);
      },
    };
    const queried: string[] = [];
    // The distribution is read from logs; this test has none, so a stub returns it.
    const tokens = {
      airdroppedTokens: async (_chainId: number, addresses: readonly string[]) => {
        queried.push(...addresses);
        return new Set([gift.address]);
      },
    };
    const spam = await spamAmong({ classifier, tokens } as never, chain as never, [lure, gift, lucky, plain]);
    expect([...spam]).toEqual([lure.address, gift.address]);
    expect(classified).toEqual([lure, gift, lucky, plain].map(({ address }) => address));
    expect(queried).toEqual([gift.address, lucky.address]);
  });
});
