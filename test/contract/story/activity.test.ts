import { beforeAll, describe, expect, it } from "vitest";
import { createNodeClient } from "../../../demo/node/client.ts";
import { createRpc } from "../../../runtime/chain/rpc.ts";
import { createDatabase } from "../../../runtime/database/database.ts";
import { estimateGas } from "../../../runtime/domains/chains/gas-estimate.ts";
import { createCounterpartyQueries } from "../../../runtime/domains/tokens/queries/counterparty.ts";
import type { Address, Hash, Hex } from "../../../runtime/lib/hex.ts";
import { useApp } from "../../support/app.ts";

interface NodeTransaction {
  readonly hash: Hash;
  readonly from: Address;
  readonly to: Address | null;
  readonly value: Hex;
  readonly input: Hex;
}
interface NodeBlock {
  readonly number: Hex;
  readonly timestamp: Hex;
  readonly baseFeePerGas: Hex;
  readonly transactions: readonly NodeTransaction[];
}
interface Receipt {
  readonly transactionHash: Hash;
  readonly status: Hex;
  readonly gasUsed: Hex;
  readonly effectiveGasPrice: Hex;
  readonly contractAddress: Address | null;
  readonly logs: readonly { readonly address: Address; readonly topics: readonly Hash[]; readonly data: Hex }[];
}
interface MinedTransaction extends NodeTransaction {
  readonly time: number;
  readonly baseFee: bigint;
  readonly receipt: Receipt;
  readonly block: number;
}

const app = await useApp();
const secondsPerBucket = 900;
const unusedAddress: Address = "0x00000000000000000000000000000000deadbeef";
const all: MinedTransaction[] = [];
const blocks: NodeBlock[] = [];

/** Reads all blocks and receipts of the node in batches. */
beforeAll(async () => {
  const node = createNodeClient(app.rpcUrl);
  try {
    const head = Number(await node.request<Hex>("eth_blockNumber"));
    for (let first = 0; first <= head; first += 100) {
      const numbers = Array.from({ length: Math.min(100, head - first + 1) }, (_, index): Hex => `0x${(first + index).toString(16)}`);
      const found = await node.batch<NodeBlock>(numbers.map((number) => ({ method: "eth_getBlockByNumber", parameters: [number, true] })));
      const receipts = await node.batch<readonly Receipt[]>(
        numbers.map((number) => ({ method: "eth_getBlockReceipts", parameters: [number] })),
      );
      for (const [index, block] of found.entries()) {
        const byHash = new Map(receipts[index]?.map((receipt) => [receipt.transactionHash, receipt]));
        for (const transaction of block.transactions) {
          const receipt = byHash.get(transaction.hash);
          if (receipt === undefined) throw new Error(`No receipt for ${transaction.hash}`);
          const at = { block: Number(block.number), time: Number(block.timestamp), baseFee: BigInt(block.baseFeePerGas) };
          all.push({ ...transaction, ...at, receipt });
        }
      }
      blocks.push(...found);
    }
  } finally {
    await node.close();
  }
});

function storyValue(name: string): Address {
  const value = app.storyValues[name];
  if (value === undefined) throw new Error(`No ${name} in the story values`);
  return value as Address;
}

async function fetchData<T>(path: string): Promise<{ data: T; credits: string | null; status: number }> {
  const response = await fetch(`${app.url}${path}`, { headers: { authorization: `Bearer ${app.key}` } });
  const { data } = (await response.json()) as { data: T };
  return { data, credits: response.headers.get("x-credits"), status: response.status };
}

/** The transactions that an address sent or received, or that created it, oldest first. */
const of = (address: Address): MinedTransaction[] =>
  all.filter(({ from, to, receipt }) => from === address || to === address || receipt.contractAddress === address);
const feeOf = ({ receipt }: MinedTransaction): bigint => BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
const iso = (time: number): string => `${new Date(time * 1000).toISOString().slice(0, 19)}Z`;
const bucketOf = ({ time }: { readonly time: number }): number => Math.floor(time / secondsPerBucket);

interface Summary {
  readonly total_count: number;
  readonly earliest_transaction: { readonly tx_hash: Hash; readonly block_signed_at: string; readonly tx_detail_link: string };
  readonly latest_transaction: { readonly tx_hash: Hash };
  readonly gas_summary: { readonly total_sent_count: number; readonly total_fees_paid: string } | null;
}

describe("transactions_summary", () => {
  const summaryOf = (address: Address, query = "") =>
    fetchData<{ items: readonly Summary[] }>(`/v1/demo/address/${address}/transactions_summary/${query}`);

  it.each(["trader", "newcomer", "deployer", "collector", "exchangeRouter", "goldToken"])(
    "counts the transactions and fees of the %s as the node does",
    async (name) => {
      const own = of(storyValue(name));
      const sent = own.filter(({ from }) => from === storyValue(name));
      const { data, credits } = await summaryOf(storyValue(name), "?with-gas=true");
      expect(data.items).toHaveLength(1);
      expect(data.items[0]).toMatchObject({
        total_count: own.length,
        earliest_transaction: { tx_hash: own[0]?.hash, block_signed_at: iso(own[0]?.time ?? 0) },
        latest_transaction: { tx_hash: own.at(-1)?.hash },
        gas_summary: { total_sent_count: sent.length, total_fees_paid: sent.reduce((sum, seen) => sum + feeOf(seen), 0n).toString() },
      });
      // One credit for the call and one for the gas.
      expect(credits).toBe("2");
      const detail = await fetch(data.items[0]?.earliest_transaction.tx_detail_link ?? "", {
        headers: { authorization: `Bearer ${app.key}` },
      });
      expect(detail.status).toBe(200);
    },
  );

  it("omits the gas summary by default and costs one credit", async () => {
    const { data, credits } = await summaryOf(storyValue("trader"));
    expect({ gas: data.items[0]?.gas_summary, credits }).toEqual({ gas: null, credits: "1" });
  });

  it("returns no items for an address without transactions", async () => {
    expect((await summaryOf(unusedAddress, "?with-gas=true")).data.items).toEqual([]);
  });

  it("reads the stored sum with one index row, independent of the number of transactions", async () => {
    const database = createDatabase({ url: app.databaseUrl, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
    try {
      const lines = await database.query<{ "QUERY PLAN": string }>(
        `EXPLAIN SELECT sent_count, fees_paid FROM address_fees WHERE chain_id = 31337 AND address = '\\x${storyValue("trader").slice(2)}'
         AND block_number <= 1000000 ORDER BY block_number DESC LIMIT 1`,
        [],
      );
      const plan = lines.map((line) => line["QUERY PLAN"]).join("\n");
      expect(plan).toContain("Index Scan Backward using address_fees_pkey");
      expect(plan).not.toContain("Sort");
    } finally {
      await database.close();
    }
  });
});

interface Bucket {
  readonly complete: boolean;
  readonly current_bucket: number;
  readonly links: { readonly prev: string | null; readonly next: string | null };
  readonly items: readonly { readonly tx_hash: Hash }[];
}

describe("time buckets", () => {
  const bucketPath = (address: Address, bucket: number | "" = "") =>
    `/v1/demo/bulk/transactions/${address}/${bucket === "" ? "" : `${bucket}/`}`;
  const hashes = ({ items }: Bucket): Hash[] => items.map(({ tx_hash: hash }) => hash);
  const newestFirst = (seen: readonly MinedTransaction[]): Hash[] => seen.map(({ hash }) => hash).reverse();

  it.each(["newcomer", "trader"])("link from the first to the last bucket of the %s and contain each transaction once", async (name) => {
    const own = of(storyValue(name));
    const expected = [...new Set(own.map(bucketOf))];
    const visited: number[] = [];
    const read: Hash[] = [];
    let previous: string | null = null;
    for (let path: string | null = `${bucketPath(storyValue(name))}?no-logs=true`; path !== null; ) {
      const { data }: { data: Bucket } = await fetchData<Bucket>(path);
      visited.push(data.current_bucket);
      expect(hashes(data)).toEqual(newestFirst(own.filter((seen) => bucketOf(seen) === data.current_bucket)));
      read.unshift(...hashes(data));
      expect(data.links.prev).toBe(previous);
      previous = `${app.url}${bucketPath(storyValue(name), data.current_bucket)}`;
      path = data.links.next === null ? null : `${data.links.next.replace(app.url, "")}?no-logs=true`;
    }
    expect(visited).toEqual(expected);
    expect(read).toEqual(newestFirst(own));
    expect(visited.length).toBeGreaterThan(2);
  });

  it("link an empty bucket to the nearest ones on both sides", async () => {
    const buckets = [...new Set(of(storyValue("trader")).map(bucketOf))];
    const gap = buckets.findIndex((bucket, index) => (buckets[index + 1] ?? bucket) > bucket + 1);
    const [before, after] = [buckets[gap] ?? 0, buckets[gap + 1] ?? 0];
    const { data } = await fetchData<Bucket>(bucketPath(storyValue("trader"), before + 1));
    expect(data.items).toEqual([]);
    expect(data.links).toEqual({
      prev: app.url + bucketPath(storyValue("trader"), before),
      next: app.url + bucketPath(storyValue("trader"), after),
    });
  });

  it("link buckets outside the wallet's history to its first and last one", async () => {
    const buckets = of(storyValue("trader")).map(bucketOf);
    const [first, last] = [buckets[0] ?? 0, buckets.at(-1) ?? 0];
    const link = (bucket: number): string => app.url + bucketPath(storyValue("trader"), bucket);
    expect((await fetchData<Bucket>(bucketPath(storyValue("trader"), 0))).data.links).toEqual({ prev: null, next: link(first) });
    expect((await fetchData<Bucket>(bucketPath(storyValue("trader"), 2_147_483_647))).data.links).toEqual({ prev: link(last), next: null });
  });

  it("are complete once the chain's time has passed their end", async () => {
    const headTime = Number(blocks.at(-1)?.timestamp);
    const head = Math.floor(headTime / secondsPerBucket);
    const complete = async (bucket: number) => (await fetchData<Bucket>(bucketPath(storyValue("trader"), bucket))).data.complete;
    expect([await complete(head - 1), await complete(head), await complete(head + 1)]).toEqual([true, false, false]);
  });

  it("return the head's empty bucket for an address without transactions", async () => {
    const { data } = await fetchData<Bucket>(bucketPath(unusedAddress));
    expect(data).toMatchObject({
      complete: false,
      current_bucket: Math.floor(Number(blocks.at(-1)?.timestamp) / secondsPerBucket),
      links: { prev: null, next: null },
      items: [],
    });
  });
});

describe("gas_prices", () => {
  /** EIP-20's transfer and transferFrom. */
  const selectors = ["0xa9059cbb", "0x23b872dd"];
  /** ERC-20 contracts are those that once emitted a Transfer with three topics; the story's collections emit four. */
  const erc20Contracts = (): ReadonlySet<Address | null> =>
    new Set(
      all
        .flatMap(({ receipt }) => receipt.logs)
        .filter(({ topics }) => topics[0]?.startsWith("0xddf252ad") && topics.length === 3)
        .map(({ address }) => address),
    );
  const isNative = ({ value, input, to }: MinedTransaction): boolean => BigInt(value) > 0n && input === "0x" && to !== null;
  /** keccak256("Swap(address,address,int256,int256,uint160,uint128,int24)"), of Uniswap V3's pools. */
  const rangeSwap = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67";
  const ofKind = (kind: string): ((seen: MinedTransaction) => boolean) => {
    if (kind === "uniswapv3") return ({ receipt }) => receipt.logs.some(({ topics }) => topics[0] === rangeSwap);
    const contracts = erc20Contracts();
    return kind === "nativetokens" ? isNative : ({ input, to }) => selectors.includes(input.slice(0, 10)) && contracts.has(to);
  };
  interface Prices {
    readonly base_fee: string;
    readonly event_type: string;
    readonly items: readonly { readonly gas_price: string; readonly gas_spent: string; readonly interval: string }[];
  }
  const rank = <T>(values: readonly T[], percent: number): T | undefined => values[Math.ceil((percent * values.length) / 100) - 1];

  it.each(["erc20", "nativetokens", "uniswapv3"])(
    "derives the prices of %s from the transactions of the latest 200 blocks",
    async (kind) => {
      const head = blocks.length - 1;
      const sample = all.filter(({ block, receipt }) => block > head - 200 && receipt.status === "0x1").filter(ofKind(kind));
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
        [90, 50, 10].map((percent) => (baseFee + (rank(tips, percent) ?? 0n)).toString()),
      );
      expect(new Set(data.items.map(({ gas_spent: spent }) => spent))).toEqual(new Set([String(rank(used, 50))]));
      expect(data.items.every(({ interval }) => /^\d+ (second|minute|hour)s?$/.test(interval))).toBe(true);
    },
  );

  it("returns no prices without matching transactions", () => {
    expect(estimateGas([], "7000000000", 12)).toEqual([]);
  });
});

describe("activity", () => {
  interface Activity {
    readonly items: readonly { readonly name: string; readonly last_seen_at: string }[];
  }
  const activityOf = async (address: Address, query = "?testnets=true") =>
    (await fetchData<Activity>(`/v1/address/${address}/activity/${query}`)).data.items.map(({ name, last_seen_at: seen }) => ({
      name,
      seen,
    }));

  it("lists the chain with the time of the address's last transaction or transfer", async () => {
    const word = storyValue("trader").slice(2);
    const last = all.findLast(
      (seen) =>
        of(storyValue("trader")).includes(seen) || seen.receipt.logs.some(({ topics }) => topics.some((topic) => topic.endsWith(word))),
    );
    expect(await activityOf(storyValue("trader"))).toEqual([{ name: "demo", seen: iso(last?.time ?? 0) }]);
  });

  it("omits test networks by default, and chains without activity of the address", async () => {
    expect(await activityOf(storyValue("trader"), "")).toEqual([]);
    expect(await activityOf(unusedAddress)).toEqual([]);
  });
});

describe("the counterparties of a wallet", () => {
  const addressIn = (topic: Hash | undefined): Address => `0x${(topic ?? "").slice(-40)}`;

  it.each([
    ["newcomer", true],
    ["goldPair", false],
  ])("of the %s include both directions, with the first block and the first in which the wallet sent", async (name, sends) => {
    const wallet = storyValue(name);
    const expected = new Map<string, { since: number; sentSince: number | null }>();
    const add = (sender: Address, receiver: Address | null, from: Address, block: number) => {
      if (receiver === null || (sender === wallet) === (receiver === wallet)) return;
      const key = sender === wallet ? receiver : sender;
      const before = expected.get(key);
      expected.set(key, { since: before?.since ?? block, sentSince: before?.sentSince ?? (from === wallet ? block : null) });
    };
    for (const { from, to, value, receipt, block } of all) {
      if (BigInt(value) > 0n && receipt.status === "0x1") add(from, to, from, block);
      for (const { topics, data } of receipt.logs) {
        const moves = topics[0]?.startsWith("0xddf252ad") === true && topics.length === 3 && BigInt(data) > 0n;
        if (moves) add(addressIn(topics[1]), addressIn(topics[2]), from, block);
      }
    }
    const database = createDatabase({
      url: app.databaseUrl,
      poolSize: 1,
      statementTimeoutMilliseconds: 0,
      applicationName: "ashlar-test",
    });
    try {
      const rows = await createCounterpartyQueries(database).counterparties(31337, wallet, blocks.length - 1, all.length);
      expect(new Map(rows.map(({ address, ...first }) => [address as string, first]))).toEqual(expected);
      expect([...expected.values()].some(({ sentSince }) => sentSince !== null)).toBe(sends);
    } finally {
      await database.close();
    }
  });
});

describe("the status of the chains", () => {
  it("reports the node's capabilities and how far the index is behind it", async () => {
    const { data } = await fetchData<{ items: readonly Record<string, unknown>[] }>("/v1/chains/status/");
    expect(data.items[0]).toMatchObject({
      synced_block_height: blocks.length - 1,
      latest_block_height: blocks.length - 1,
      blocks_behind: 0,
      seconds_behind: 0,
      building: [],
      missing: [],
    });
    // The capabilities of anvil according to its manual.
    expect(data.items[0]?.offers).toEqual(expect.arrayContaining(["block-receipts", "traces", "archive-state", "finalized-tag"]));
    // Anvil accepts batches of the maximum size, and supports both trace methods, of which trace_block is preferred.
    expect(data.items[0]).toMatchObject({ batch_size: createRpc({ url: app.rpcUrl }).limits().batchSize, traces_by: "trace" });
    expect(data.items[0]?.offers).toEqual(expect.arrayContaining(["websocket", "batches"]));
    expect(Date.parse(String(data.items[0]?.node_seen_at))).toBeLessThanOrEqual(Date.now());
  });
});
