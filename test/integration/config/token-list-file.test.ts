import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseTokenList } from "../../../runtime/config/token-list-file.ts";
import { addressOf, type Data, type FixtureIndex, openFixtureIndex, transactionRow, wordOf } from "../domains/queries/fixture-index.ts";

const [coin, art, other, ipfsToken] = [0xc1, 0xc2, 0xc3, 0xc4].map(addressOf) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const wallet = addressOf(0xab);
const list = {
  name: "A list",
  tokens: [
    { chainId: 7, address: coin.toUpperCase().replace("0X", "0x"), symbol: "C", logoURI: "https://logos.example/coin.png" },
    { chainId: 7, address: art, logoURI: "https://logos.example/listed.png" },
    { chainId: 8, address: other, logoURI: "https://logos.example/elsewhere.png" },
    { chainId: 7, address: ipfsToken, logoURI: "ipfs://Qm" },
    { chainId: 101, address: "So11111111111111111111111111111111111111112", logoURI: "https://logos.example/base58.png" },
  ],
};

describe("a token list", () => {
  it("provides the logos for a chain's tokens if they are HTTP URLs", () => {
    expect(parseTokenList("list.json", JSON.stringify(list), 7)).toEqual({
      [coin]: "https://logos.example/coin.png",
      [art]: "https://logos.example/listed.png",
    });
  });

  it.each([
    ["invalid JSON", "{", "invalid JSON"],
    ["JSON without a token list", "[]", 'no list "tokens"'],
    ["null", "null", 'no list "tokens"'],
    ["a token without an address", '{"tokens":[{"chainId":7,"address":"0x1"}]}', "token 1 has no valid address"],
  ])("is rejected if it contains %s", (_, text, problem) => {
    expect(() => parseTokenList("list.json", text, 7)).toThrow(`Invalid token list list.json: ${problem}`);
  });
});

describe("configured token and network logos", () => {
  let folder: string;
  let index: FixtureIndex;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "ashlar-list-"));
    const tokenListFile = join(folder, "list.json");
    await writeFile(tokenListFile, JSON.stringify(list));
    index = await openFixtureIndex({
      settings: {
        tokenListFile,
        tokenLogos: { [art]: "https://logos.example/own.png" },
        category: "Examples",
        blackLogoUrl: "https://logos.example/black.png",
        whiteLogoUrl: "https://logos.example/white.png",
      },
    });
    await index.insertBlocks(0, 3, { 2: 1 });
    await index.insert("token_standards", [
      { chain_id: 7, address: coin, standard: 1, block_number: 2 },
      { chain_id: 7, address: art, standard: 2, block_number: 2 },
    ]);
    for (const [token, standard] of [
      [coin, 1],
      [art, 2],
    ] as const)
      await index.insertBalances(wallet, token, standard, { 2: "5" });
    await index.insert("transactions", [transactionRow(2, 0, wallet, coin)]);
    const log = { chain_id: 7, block_number: 2, transaction_index: 0, data: "0x", topic0: wordOf(1) };
    await index.insert(
      "logs",
      [coin, ipfsToken].map((address, log_index) => ({ ...log, log_index, address })),
    );
  });
  afterAll(async () => {
    await index?.end();
    await rm(folder, { recursive: true, force: true });
  });

  it("are returned in all responses", async () => {
    const { data } = await index.get(`/v1/fixture/address/${wallet}/balances_v2/`);
    const logos = data.items.map((item: Data) => [item.contract_address, item.logo_url, item.logo_urls.token_logo_url]);
    expect(logos).toEqual([
      [coin, "https://logos.example/coin.png", "https://logos.example/coin.png"],
      [art, "https://logos.example/own.png", "https://logos.example/own.png"],
    ]);
    const logs = (await index.get("/v1/fixture/events/?starting-block=2&ending-block=2")).data.items;
    expect(new Map(logs.map((log: Data) => [log.sender_address, log.sender_logo_url]))).toEqual(
      new Map([
        [coin, "https://logos.example/coin.png"],
        [ipfsToken, null],
      ]),
    );
    const network = { black_logo_url: "https://logos.example/black.png", white_logo_url: "https://logos.example/white.png" };
    expect((await index.get("/v1/chains/")).data.items).toMatchObject([{ ...network, category_label: "Examples" }]);
    expect((await index.get("/v1/chains/status/")).data.items).toMatchObject([network]);
  });
});
