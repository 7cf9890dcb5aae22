import { describe, expect, it } from "vitest";
import { classifier, token, usdc } from "./tokens.ts";

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
