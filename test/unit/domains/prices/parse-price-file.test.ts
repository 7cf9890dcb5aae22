import { describe, expect, it } from "vitest";
import { PriceFileError, parsePriceFile } from "../../../../runtime/domains/prices/jobs/import-prices/parse-price-file.ts";
import { nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { currencies } from "../../../../runtime/parameters/currency.ts";

const token = "0x00000000000000000000000000000000000000aa";
const parse = (text: string) => parsePriceFile("prices.csv", text, currencies);
const errorOf = (text: string): string => {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof PriceFileError) return error.message;
    throw error;
  }
  throw new Error(`The price file was accepted: ${text}`);
};

describe("the operator's price file", () => {
  it("prices tokens, the native token and currencies, by day, time or second", () => {
    const text = [
      "\uFEFFAsset,time,price",
      `"${token.toUpperCase().replace("0X", "0x")}",2024-02-29,1.50`,
      "native,2024-02-29T12:00:00Z,2000",
      "eur,1709208001,1.0825",
      "",
      `${token},2024-03-01,`,
    ].join("\r\n");
    // 2024-02-29 is 19,782 days after 1970-01-01.
    const day = 19_782 * 86_400;
    expect(parse(text)).toEqual([
      { asset: token, since: day, price: "1.50" },
      { asset: nativeTokenAddress, since: day + 43_200, price: "2000" },
      { asset: "0x455552", since: 1_709_208_001, price: "1.0825" },
      { asset: token, since: day + 86_400, price: null },
    ]);
  });

  it.each([
    ["0x12,2024-01-01,1", 'Invalid asset "0x12"'],
    [`${token},2024-02-30,1`, 'Invalid time "2024-02-30"'],
    [`${token},01/02/2024,1`, 'Invalid time "01/02/2024"'],
    [`${token},2024-01-01,1e3`, 'Invalid price "1e3"'],
    [`${token},2024-01-01,-1`, 'Invalid price "-1"'],
    [`${token},2024-01-01,0.00`, 'Invalid price "0.00"'],
    [`${token},2024-01-01,"1,5"`, 'Invalid price "1,5"'],
    [`${token},2024-01-01`, "Invalid price nothing"],
    ["XAU,2024-01-01,1", 'Invalid asset "XAU"'],
  ])("is rejected with the line and the expected form: %s", (line, problem) => {
    const message = errorOf(`asset,time,price\nnative,2024-01-01,1\n${line}`);
    expect(message).toContain(`prices.csv:3: ${problem}`);
    expect(message).toContain("Expected a CSV file with the header asset,time,price");
  });

  it("is rejected if it has two prices for one time, with both line numbers", () => {
    expect(errorOf("asset,time,price\nnative,2024-01-01,1\nnative,1704067200,2")).toContain(
      "prices.csv:3: Duplicate of line 2: native at 1704067200",
    );
  });

  it("is rejected without the header or if it is not CSV", () => {
    expect(errorOf("native,2024-01-01,1")).toContain('prices.csv:1: Invalid header "native,2024-01-01,1"');
    expect(errorOf('asset,time,price\n"native,2024-01-01,1')).toContain("prices.csv:");
    expect(errorOf("")).toContain("Invalid header nothing");
  });

  it("is rejected with the first twenty errors and the number of other errors", () => {
    const message = errorOf(`asset,time,price\n${Array.from({ length: 30 }, (_, line) => `bad,2024-01-01,${line + 1}`).join("\n")}`);
    expect(message.match(/prices\.csv:/g)).toHaveLength(20);
    expect(message).toContain("… and 10 more.");
  });
});
