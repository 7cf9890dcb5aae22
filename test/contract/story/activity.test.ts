import { describe, expect, it } from "vitest";
import { createRpc } from "../../../runtime/chain/rpc.ts";
import { createDatabase } from "../../../runtime/database/database.ts";
import { estimateGasPrices } from "../../../runtime/domains/chains/estimate-gas-prices.ts";
import { createCounterpartyQueries } from "../../../runtime/domains/tokens/queries/counterparty.ts";
import type { Address, Hash } from "../../../runtime/lib/hex.ts";
import { useApp } from "../../support/app.ts";
import {
  fetchData,
  isoTime,
  type MinedTransaction,
  readNodeTransactions,
  storyAddress,
  transactionsOf,
  unusedAddress,
} from "./node-transactions.ts";

const app = await useApp();
const { blocks, transactions } = await readNodeTransactions();
const allOf = (address: Address): MinedTransaction[] => transactionsOf(transactions, address);

describe("the gas_prices endpoint", () => {
  /** The selectors of transfer and transferFrom (EIP-20). */
  const selectors = ["0xa9059cbb", "0x23b872dd"];
  /** The contracts that have emitted a Transfer with three topics; Transfers of the story's collections have four. */
  const erc20Contracts = (): ReadonlySet<Address | null> =>
    new Set(
      transactions
        .flatMap(({ receipt }) => receipt.logs)
        .filter(({ topics }) => topics[0]?.startsWith("0xddf252ad") && topics.length === 3)
        .map(({ address }) => address),
    );
  const isNative = ({ value, input, to }: MinedTransaction): boolean => BigInt(value) > 0n && input === "0x" && to !== null;
  /** keccak256("Swap(address,address,int256,int256,uint160,uint128,int24)"), the event of Uniswap V3 pools. */
  const concentratedSwapTopic = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67";
  const isOfKind = (kind: string): ((transaction: MinedTransaction) => boolean) => {
    if (kind === "uniswapv3") return ({ receipt }) => receipt.logs.some(({ topics }) => topics[0] === concentratedSwapTopic);
    const contracts = erc20Contracts();
    return kind === "nativetokens" ? isNative : ({ input, to }) => selectors.includes(input.slice(0, 10)) && contracts.has(to);
  };
  interface Prices {
    readonly base_fee: string;
    readonly event_type: string;
    readonly items: readonly { readonly gas_price: string; readonly gas_spent: string; readonly interval: string }[];
  }
  const percentileOf = <T>(values: readonly T[], percent: number): T | undefined => values[Math.ceil((percent * values.length) / 100) - 1];

  it.each(["erc20", "nativetokens", "uniswapv3"])(
    "derives the prices for %s from the transactions in the latest 200 blocks",
    async (kind) => {
      const head = blocks.length - 1;
      const sample = transactions.filter(({ block, receipt }) => block > head - 200 && receipt.status === "0x1").filter(isOfKind(kind));
      expect(sample.length).toBeGreaterThan(0);
      const tips = sample
        .map(({ receipt, baseFee }) => BigInt(receipt.effectiveGasPrice) - baseFee)
        .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const used = sample.map(({ receipt }) => Number(receipt.gasUsed)).sort((a, b) => a - b);
      const baseFee = BigInt(blocks[head]?.baseFeePerGas ?? 0);
      const { data } = await fetchData<Prices>(`/v1/demo/event/${kind}/gas_prices/`);
      expect(data.base_fee).toBe(baseFee.toString());
      expect(data.event_type).toBe(kind);
      expect(data.items.map(({ gas_price: price }) => price)).toEqual(
        [90, 50, 10].map((percent) => (baseFee + (percentileOf(tips, percent) ?? 0n)).toString()),
      );
      expect(new Set(data.items.map(({ gas_spent: spent }) => spent))).toEqual(new Set([String(percentileOf(used, 50))]));
      expect(data.items.every(({ interval }) => /^\d+ (second|minute|hour)s?$/.test(interval))).toBe(true);
    },
  );

  it("returns no prices without matching transactions", () => {
    expect(estimateGasPrices([], "7000000000", 12)).toEqual([]);
  });
});

describe("the activity endpoint", () => {
  interface Activity {
    readonly items: readonly { readonly name: string; readonly last_seen_at: string }[];
  }
  const activityOf = async (address: Address, query = "?testnets=true") =>
    (await fetchData<Activity>(`/v1/address/${address}/activity/${query}`)).data.items.map(({ name, last_seen_at: seen }) => ({
      name,
      seen,
    }));

  it("returns the chain with the time of the address's last transaction or transfer", async () => {
    // The balances of the trader's lending tokens change in every block; the market maker's do not.
    for (const name of ["trader", "marketMaker"]) {
      const digits = storyAddress(name).slice(2);
      const walletTransactions = new Set(allOf(storyAddress(name)));
      const last = transactions.findLast(
        (mined) => walletTransactions.has(mined) || mined.receipt.logs.some(({ topics }) => topics.some((topic) => topic.endsWith(digits))),
      );
      expect(await activityOf(storyAddress(name)), name).toEqual([{ name: "demo", seen: isoTime(last?.time ?? 0) }]);
    }
  });

  it("omits testnets by default, and chains on which the address has no activity", async () => {
    expect(await activityOf(storyAddress("trader"), "")).toEqual([]);
    expect(await activityOf(unusedAddress)).toEqual([]);
  });
});

describe("the counterparties query", () => {
  const addressIn = (topic: Hash | undefined): Address => `0x${(topic ?? "").slice(-40)}`;

  it.each([
    ["newcomer", true],
    ["goldPair", false],
  ])(
    "returns the accounts that the %s sent to or received from, with the first block and the first block in which it sent",
    async (name, hasSent) => {
      const wallet = storyAddress(name);
      const expected = new Map<string, { since: number; sentSince: number | null }>();
      const add = (sender: Address, recipient: Address | null, from: Address, block: number) => {
        if (recipient === null || (sender === wallet) === (recipient === wallet)) return;
        const key = sender === wallet ? recipient : sender;
        const previous = expected.get(key);
        expected.set(key, { since: previous?.since ?? block, sentSince: previous?.sentSince ?? (from === wallet ? block : null) });
      };
      for (const { from, to, value, receipt, block } of transactions) {
        if (BigInt(value) > 0n && receipt.status === "0x1") add(from, to, from, block);
        for (const { topics, data } of receipt.logs) {
          const isTransfer = topics[0]?.startsWith("0xddf252ad") === true && topics.length === 3 && BigInt(data) > 0n;
          if (isTransfer) add(addressIn(topics[1]), addressIn(topics[2]), from, block);
        }
      }
      const database = createDatabase({
        url: app.databaseUrl,
        poolSize: 1,
        statementTimeoutMilliseconds: 0,
        applicationName: "ashlar-test",
      });
      try {
        const rows = await createCounterpartyQueries(database).counterparties(31337, wallet, blocks.length - 1, transactions.length);
        expect(new Map(rows.map(({ address, ...first }) => [address as string, first]))).toEqual(expected);
        expect([...expected.values()].some(({ sentSince }) => sentSince !== null)).toBe(hasSent);
      } finally {
        await database.close();
      }
    },
  );
});

describe("the chain status endpoint", () => {
  it("reports the node's capabilities and how far the index is behind the node's head", async () => {
    const { data } = await fetchData<{ items: readonly Record<string, unknown>[] }>("/v1/chains/status/");
    expect(data.items[0]).toMatchObject({
      synced_block_height: blocks.length - 1,
      latest_block_height: blocks.length - 1,
      blocks_behind: 0,
      seconds_behind: 0,
      building: [],
      missing: [],
    });
    // Anvil's capabilities according to its manual.
    expect(data.items[0]?.offers).toEqual(expect.arrayContaining(["block-receipts", "traces", "archive-state", "finalized-tag"]));
    // Anvil accepts batches of the maximum size. It supports both trace methods; trace_block is preferred.
    expect(data.items[0]).toMatchObject({ batch_size: createRpc({ url: app.rpcUrl }).limits().batchSize, traces_by: "trace" });
    expect(data.items[0]?.offers).toEqual(expect.arrayContaining(["websocket", "batches"]));
    expect(Date.parse(String(data.items[0]?.node_seen_at))).toBeLessThanOrEqual(Date.now());
  });
});
