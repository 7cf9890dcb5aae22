import { address as encodings, networks, Transaction } from "bitcoinjs-lib";
import { beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../../generated/operations.gen.ts";
import type { CommunityTransaction, CommunityTransactionsResponse } from "../../../generated/responses.gen.ts";
import { useApp } from "../../support/app.ts";
import { type ReplayedTransaction, replay, totalOf } from "../../support/bitcoin/replay.ts";
import { exampleOf, targetOf } from "../../support/contract/examples.ts";
import { createCaller } from "../caller.ts";

const app = await useApp();
const call = createCaller(app.url, app.key);
const chainName = "btc-regtest";
const names = ["bitcoinSaver", "bitcoinFriend", "bitcoinShop", "bitcoinExchange", "bitcoinMiner"] as const;

interface NodeBlock {
  readonly height: number;
  readonly time: number;
  readonly transactions: readonly Transaction[];
}

/** Calls a method several times in one batch and returns the results. */
const callNode = async <Result>(method: string, calls: readonly (readonly unknown[])[]): Promise<readonly Result[]> => {
  const body = JSON.stringify(calls.map((params, id) => ({ jsonrpc: "2.0", id, method, params })));
  const response = await fetch(app.bitcoinRpcUrl, { method: "POST", body });
  return ((await response.json()) as readonly { readonly result: Result }[]).map(({ result }) => result);
};

/** Reads all of the node's blocks. Serialized transactions are parsed because, unlike the node's JSON, they have integer amounts. */
const readBlocks = async (): Promise<readonly NodeBlock[]> => {
  const [info] = await callNode<{ readonly blocks: number }>("getblockchaininfo", [[]]);
  const heights = Array.from({ length: (info?.blocks ?? 0) + 1 }, (_, height) => height);
  const hashes = await callNode<string>(
    "getblockhash",
    heights.map((height) => [height]),
  );
  const responses = await callNode<{ readonly time: number; readonly tx: readonly { readonly hex: string }[] }>(
    "getblock",
    hashes.map((hash) => [hash, 2]),
  );
  return responses.map(({ time, tx }, height) => ({ height, time, transactions: tx.map(({ hex }) => Transaction.fromHex(hex)) }));
};

/** The script of an address: base58check addresses are public key hashes; bech32 and bech32m addresses are witness programs. */
const scriptOf = (address: string): Buffer => {
  if (!address.startsWith(networks.regtest.bech32)) {
    const { hash, version } = encodings.fromBase58Check(address);
    expect(version).toBe(networks.regtest.pubKeyHash);
    return Buffer.from([0x76, 0xa9, 0x14, ...hash, 0x88, 0xac]);
  }
  const { version, data } = encodings.fromBech32(address);
  return Buffer.from([version === 0 ? 0 : 0x50 + version, data.length, ...data]);
};

/** Fetches all transactions of an address, page by page. */
const transactionsOf = async (address: string): Promise<readonly CommunityTransaction[]> => {
  const items: CommunityTransaction[] = [];
  for (let page = 0; ; page += 1) {
    const target = `/v1/cq/provider/app/protocol_03/transactions/?address=${address}&page-size=40&page-number=${page}`;
    const { data } = (await call(target)).body as { readonly data: CommunityTransactionsResponse };
    items.push(...data.items);
    if (!data.pagination.has_more) return items;
  }
};

const amountOf = ({ amounts }: CommunityTransaction, direction: string): bigint =>
  BigInt(amounts.find((amount) => amount.direction === direction)?.amount ?? "0");

describe("the demo's Bitcoin chain", () => {
  let blocks: readonly NodeBlock[];
  let transactions: readonly ReplayedTransaction[];

  beforeAll(async () => {
    blocks = await readBlocks();
    expect(blocks.length).toBeGreaterThan(300);
    transactions = replay(blocks).transactions;
  });

  /** The expected entries for a script's transactions, computed only from the blocks, newest first. */
  const ledgerOf = (script: Buffer) =>
    transactions
      .map(({ height, offset, txid, isCoinbase, spent, created }) => {
        const hasScript = ({ script: other }: { readonly script: Uint8Array }): boolean => script.equals(other);
        const [received, sent] = [totalOf(created.filter(hasScript)), totalOf(spent.filter(hasScript))];
        const isInvolved = [...created, ...spent].some(hasScript);
        const fee = sent > 0n ? totalOf(spent) - totalOf(created) : null;
        const action = isCoinbase ? "coinbase" : sent > 0n ? "send" : "receive";
        return { isInvolved, entry: { height, time: blocks[height]?.time, offset, txid, action, received, sent, fee } };
      })
      .flatMap(({ isInvolved, entry }) => (isInvolved ? [entry] : []))
      .toReversed();

  const entryOf = (item: CommunityTransaction) => {
    const fee = item.amounts.find(({ direction }) => direction === "OUT")?.fee ?? null;
    return {
      height: item.block_height,
      time: Date.parse(item.block_signed_at) / 1000,
      offset: item.tx_offset,
      txid: item.tx_hash,
      action: item.action,
      received: amountOf(item, "IN"),
      sent: amountOf(item, "OUT"),
      fee: fee === null ? null : BigInt(fee),
    };
  };

  it.each(names)("returns the transactions of %s that its blocks contain", async (name) => {
    const address = app.storyValues[name] ?? "";
    const ledger = ledgerOf(scriptOf(address));
    expect(ledger.length).toBeGreaterThan(20);
    expect((await transactionsOf(address)).map(entryOf)).toEqual(ledger);
  });

  it("has transactions that add up to each wallet's unspent coins", async () => {
    const { unspent } = replay(blocks);
    for (const address of names.map((name) => app.storyValues[name] ?? "")) {
      const script = scriptOf(address);
      const items = await transactionsOf(address);
      const balance = items.reduce((sum, item) => sum + amountOf(item, "IN") - amountOf(item, "OUT"), 0n);
      expect(balance, address).toBe(totalOf(unspent.filter((coin) => script.equals(coin.script))));
    }
  });

  it("is listed with its kind and its head", async () => {
    const { data } = (await call("/v1/chains/")).body as { data: { items: readonly unknown[] } };
    expect(data.items).toMatchObject([
      { name: "demo", kind: "evm" },
      { name: chainName, kind: "bitcoin" },
    ]);
    const status = (await call("/v1/chains/status/")).body as { data: { items: readonly unknown[] } };
    const head = blocks.length - 1;
    expect(status.data.items[1]).toMatchObject({ name: chainName, synced_block_height: head, latest_block_height: head, blocks_behind: 0 });
  });

  it.each(operations.filter(({ path }) => path.includes("{chainName}")))(
    "is rejected by $id because it is not an EVM chain",
    async (operation) => {
      const { status, body } = await call(targetOf(operation, { ...exampleOf(operation, app.storyValues), chainName }));
      expect(status).toBe(400);
      expect(body).toMatchObject({
        data: null,
        error_message: expect.stringContaining(`because ${chainName} is a Bitcoin chain; this endpoint is for EVM chains.`),
      });
    },
  );

  it.each(operations.filter(({ class: group }) => group === "C"))(
    "is accepted by $id only if the protocol supports it",
    async (operation) => {
      const values = exampleOf(operation, app.storyValues);
      const { status, body } = await call(targetOf(operation, { ...values, "chain-name": chainName }));
      expect(status).toBe(operation.protocol === "protocol_03" ? 200 : 400);
      if (operation.protocol !== "protocol_03")
        expect(body).toMatchObject({ error_message: expect.stringContaining("is a Bitcoin chain") });
    },
  );
});
