import { address, networks } from "bitcoinjs-lib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { operations } from "../../../../generated/operations.gen.ts";
import { createTestBitcoinChain, spend, walletsOf } from "../../../support/bitcoin/chain.ts";
import { startBitcoinNode, type TestBitcoinNode } from "../../../support/bitcoin/node.ts";
import { exampleOf, targetOf } from "../../../support/contract/examples.ts";
import { exampleText } from "../../../support/contract/recorded-excerpt.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { type BitcoinServer, chainSettings, indexAll, serveBitcoin } from "./support.ts";

const operation = operations.find(({ id }) => id === "getProtocol03Transactions");

let node: TestBitcoinNode;
let test: TestDatabase;
let server: BitcoinServer;

beforeAll(async () => {
  const chain = createTestBitcoinChain();
  const wallet = address.toOutputScript(example().address ?? "", networks.regtest);
  const other = walletsOf(1).p2wpkh;
  if (other === undefined) throw new Error("No wallet.");
  const mined = chain.mine([], [{ script: other.script, value: 50_00000000n }]).transactions[0]?.getId() ?? "";
  // The other wallet pays the wallet 12 BTC, which pays back 4.5 of them; the rest is change. Each transaction has a fee.
  const received = spend(
    [chain.coin(mined, 0)],
    [
      { script: wallet, value: 12_00000000n },
      { script: other.script, value: 37_99998590n },
    ],
  );
  chain.mine([received]);
  const sent = spend(
    [chain.coin(received.getId(), 0)],
    [
      { script: other.script, value: 4_50000000n },
      { script: wallet, value: 7_49997180n },
    ],
  );
  chain.mine([sent]);
  node = await startBitcoinNode(chain);
  test = await createTestDatabase();
  await indexAll(node, test.database);
  server = await serveBitcoin(test.database, chainSettings(node.url));
});
afterAll(async () => {
  await server?.stop();
  await test?.drop();
  await node?.stop();
});

const example = (): Readonly<Record<string, string>> => {
  if (operation === undefined) throw new Error("Missing operation.");
  return exampleOf(operation, {});
};

it("the recorded example of a Bitcoin chain equals the service's response", async () => {
  if (operation === undefined) throw new Error("Missing operation.");
  const { status, body } = await server.get(targetOf(operation, example()));
  expect(status).toBe(200);
  await expect(exampleText(body, "")).toMatchFileSnapshot("../../../../spec/examples/getProtocol03Transactions.json");
});
