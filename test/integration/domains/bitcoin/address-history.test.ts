import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestBitcoinChain, spend, walletsOf } from "../../../support/bitcoin/chain.ts";
import { startBitcoinNode, type TestBitcoinNode } from "../../../support/bitcoin/node.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { type BitcoinServer, chainSettings, indexAll, serveBitcoin } from "./support.ts";

let node: TestBitcoinNode;
let test: TestDatabase;
let server: BitcoinServer;

beforeAll(async () => {
  node = await startBitcoinNode(createTestBitcoinChain());
  test = await createTestDatabase();
});
afterAll(async () => {
  await server?.stop();
  await test?.drop();
  await node?.stop();
});

describe("the transactions of an address", () => {
  it("have what it received and sent, and the fee", async () => {
    const [alice, bob] = [walletsOf(1).p2wpkh, walletsOf(2).p2wpkh];
    if (!alice?.address || !bob?.address) throw new Error("No addresses.");
    const { chain } = node;
    const mined = chain.mine([], [{ script: alice.script, value: 50_00000000n }]);
    const coinbase = mined.transactions[0]?.getId() ?? "";
    const payment = spend(
      [chain.coin(coinbase, 0)],
      [
        { script: bob.script, value: 10_00000000n },
        { script: alice.script, value: 39_99990000n },
      ],
    );
    chain.mine([payment]);
    await indexAll(node, test.database);
    server = await serveBitcoin(test.database, chainSettings(node.url));
    expect(await server.transactions(alice.address)).toMatchObject([
      {
        block_height: 2,
        tx_hash: payment.getId(),
        tx_offset: 1,
        action: "send",
        from_address: alice.address,
        amounts: [
          { direction: "OUT", amount: "5000000000", fee: "10000", contract_ticker_symbol: "BTC" },
          { direction: "IN", amount: "3999990000", fee: null },
        ],
      },
      {
        block_height: 1,
        tx_hash: coinbase,
        tx_offset: 0,
        action: "coinbase",
        from_address: null,
        amounts: [{ direction: "IN", amount: "5000000000" }],
      },
    ]);
    expect(await server.transactions(bob.address)).toMatchObject([
      {
        block_height: 2,
        tx_hash: payment.getId(),
        action: "receive",
        from_address: alice.address,
        amounts: [{ direction: "IN", amount: "1000000000" }],
      },
    ]);
  });
});
