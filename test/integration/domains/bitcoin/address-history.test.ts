import { afterEach, describe, expect, it } from "vitest";
import { createBitcoinChain, createTransaction } from "../../../../demo/bitcoin/chain.ts";
import type { NodeOptions } from "../../../../demo/bitcoin/rpc-handler.ts";
import { deriveWallets } from "../../../../demo/bitcoin/wallets.ts";
import { createRandom } from "../../../../demo/story/random.ts";
import { startBitcoinNode } from "../../../support/bitcoin/node.ts";
import { type BitcoinStory, createStory, type LedgerEntry } from "../../../support/bitcoin/story.ts";
import { createTestDatabase } from "../../../support/database.ts";
import { compareWithLedger } from "./ledger.ts";
import { type BitcoinServer, chainSettings, indexAll, serveBitcoin } from "./support.ts";

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** Indexes a chain from a node with the given options, and serves it. */
const serve = async (chain: BitcoinStory["chain"], options: NodeOptions = {}, settings: object = {}): Promise<BitcoinServer> => {
  const node = await startBitcoinNode(chain, options);
  cleanUps.push(node.stop);
  const testDatabase = await createTestDatabase();
  cleanUps.push(testDatabase.drop);
  await indexAll(node, testDatabase.database, settings);
  const server = await serveBitcoin(testDatabase.database, chainSettings(node.url));
  cleanUps.push(server.stop);
  return server;
};

const storyOf = (seed: string, blocks: number): BitcoinStory => {
  const story = createStory(createBitcoinChain(), createRandom(seed), 3);
  for (let count = 0; count < blocks; count += 1) story.mine();
  return story;
};

describe("the transactions of an address", () => {
  it("have the amounts that it received and sent, the fee, and the sender if there is only one", async () => {
    const [alice, bob] = [deriveWallets(1).p2wpkh, deriveWallets(2).p2tr];
    if (!alice?.address || !bob?.address) throw new Error("The wallets have no p2wpkh or p2tr address.");
    const chain = createBitcoinChain();
    const coinbase = chain.mine([], [{ script: alice.script, value: 50_00000000n }]).transactions[0]?.getId() ?? "";
    const payment = createTransaction(
      [chain.coin(coinbase, 0)],
      [
        { script: bob.script, value: 10_00000000n },
        { script: alice.script, value: 39_99990000n },
      ],
    );
    chain.mine([payment]);
    const server = await serve(chain);
    const coin = { contract_address: null, contract_name: "Bitcoin", contract_ticker_symbol: "BTC", contract_decimals: 8, quote: null };
    expect(await server.transactions(alice.address)).toMatchObject([
      {
        block_signed_at: "2023-11-14T22:33:20Z",
        block_height: 2,
        tx_hash: payment.getId(),
        tx_offset: 1,
        log_offset: null,
        action: "send",
        from_address: alice.address,
        amounts: [
          { direction: "OUT", amount: "5000000000", fee: "10000", ...coin },
          { direction: "IN", amount: "3999990000", fee: null, ...coin },
        ],
      },
      { block_height: 1, tx_hash: coinbase, tx_offset: 0, action: "coinbase", from_address: null, amounts: [{ amount: "5000000000" }] },
    ]);
    expect(await server.transactions(bob.address)).toMatchObject([
      { tx_hash: payment.getId(), action: "receive", from_address: alice.address, amounts: [{ direction: "IN", amount: "1000000000" }] },
    ]);
    const { body } = await server.get(`/v1/cq/provider/app/bitcoin/transactions/?address=${alice.address.toUpperCase()}`);
    expect(body.data).toMatchObject({ protocol: "protocol_03", address: alice.address, chain_id: null, chain_name: "btc-regtest" });
  });

  it.each([210_000, 220_000, 230_000, 280_000])(
    "equal the story's ledger entries for every kind of output (node version %i)",
    async (version) => {
      const story = storyOf("ledger", 60);
      const server = await serve(story.chain, { version });
      expect(await compareWithLedger(server, story)).toBeGreaterThan(150);
    },
  );

  it("list a repeated coinbase twice, and the transaction that spends it once (BIP 30)", async () => {
    const story = storyOf("before BIP 30", 20);
    for (const height of [19, 20]) story.repeatCoinbase(height);
    for (let count = 0; count < 30; count += 1) story.mine();
    const ids = story.chain.blocks.map(({ transactions }) => transactions[0]?.getId());
    expect(new Set(ids).size).toBe(ids.length - 2);
    for (const version of [220_000, 280_000]) await compareWithLedger(await serve(story.chain, { version }), story);
  });
});

describe("an index that starts late", () => {
  const from = 25;
  const entriesFromStart = (entries: readonly LedgerEntry[]) => entries.filter(({ height }) => height >= from);

  it.each([
    ["the node's blocks", { version: 280_000 }],
    ["the node's transaction index", { version: 220_000, hasTransactionIndex: true }],
    ["a pruned node's transaction index", { version: 280_000, hasUndoData: false, hasTransactionIndex: true, firstBlock: 10 }],
  ] as const)("reads earlier outputs from %s", async (_, options) => {
    const story = storyOf("late start", 60);
    const server = await serve(story.chain, options, { from });
    expect(await compareWithLedger(server, story, entriesFromStart)).toBeGreaterThan(80);
  });

  it.each([
    ["reports fees", 220_000, true],
    ["does not report fees", 210_000, true],
  ] as const)("omits unknown senders if the node has no earlier outputs and %s", async (_, version, hasUndoData) => {
    const story = storyOf("late start", 60);
    const server = await serve(story.chain, { version, hasUndoData }, { from });
    let unknown = 0;
    await compareWithLedger(server, story, (entries) =>
      entriesFromStart(entries)
        .map((entry) => {
          const indexedCoins = entry.coins.filter(({ height }) => height >= from);
          if (indexedCoins.length < entry.coins.length) unknown += 1;
          const sent = indexedCoins.reduce((sum, { value }) => sum + value, 0n);
          const isComplete = entry.oldestCoinHeight === null || entry.oldestCoinHeight >= from;
          return { ...entry, sent, fee: sent > 0n && (isComplete || version >= 220_000) ? entry.fee : null };
        })
        .filter(({ received, sent }) => received > 0n || sent > 0n),
    );
    expect(unknown).toBeGreaterThan(5);
    const { body } = await server.get("/v1/chains/status/");
    expect(body.data).toMatchObject({ items: [{ kind: "bitcoin", missing: ["spent-outputs"], indexed_from: from }] });
  });
});
