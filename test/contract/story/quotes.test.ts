import { describe, expect, it } from "vitest";
import { useApp } from "../../support/app.ts";
import { type Document, readDocument, resolveReference } from "../../support/document.ts";
import { expectNear } from "../../support/expect-near.ts";
import { poolsOf, secondsPerDay } from "../../support/story-exchanges.ts";
import { callNode, nodeBatch, storyValue, timeOf } from "../../support/story-node.ts";
import { formatAt, nativeToken, readStoryPrices, type StoryCurrency, stablecoins, valueAt } from "../../support/story-prices.ts";
import { createCaller } from "../caller.ts";

const app = await useApp();
const call = createCaller(app.url, app.key);
const rateOf = await readStoryPrices();
/** LP tokens, priced by their pools' reserves; test/integration/domains/prices covers those prices. */
const poolTokens = new Set([...(await poolsOf("demo_exchange")), ...(await poolsOf("demo_swap"))].map(({ pool }) => pool));
const now = Number.MAX_SAFE_INTEGER;

type Fields = Readonly<Record<string, unknown>>;

/** A quote's token and pricing time. */
interface QuoteContext {
  readonly token: string | null;
  readonly decimals: number;
  readonly time: number;
}

const isQuote = (name: string): boolean => /quote|^pretty_/.test(name) && name !== "quote_currency";
const amount = (value: unknown): bigint | null => (value === null || value === undefined ? null : BigInt(value as string));
const gasFee = (fields: Fields): bigint => BigInt(fields.gas_spent as string) * BigInt(fields.gas_price as string);

/** The amount that each field quotes. */
const quotedAmounts: Readonly<Record<string, (fields: Fields) => bigint | null>> = {
  quote: ({ balance }) => amount(balance),
  quote_24h: ({ balance_24h: balance }) => amount(balance),
  balance_quote: ({ balance }) => amount(balance),
  delta_quote: ({ delta }) => amount(delta),
  value_quote: ({ value }) => amount(value),
  gas_quote: (fields) => ("fees_paid" in fields ? amount(fields.fees_paid) : gasFee(fields)),
  total_gas_quote: gasFee,
};
const rates = ["quote_rate", "quote_rate_24h", "gas_quote_rate"];

/** Returns the context of an object in a response; missing fields are inherited from the enclosing object. */
function contextOf(fields: Fields, outer: QuoteContext): QuoteContext {
  const { contract_address: token, contract_decimals: decimals, block_signed_at: at, timestamp: day } = fields;
  const tokenContext = token === undefined ? {} : { token: String(token), decimals: Number(decimals) };
  const native = "gas_quote_rate" in fields ? { token: nativeToken, decimals: 18 } : {};
  const seconds = (text: unknown): number => Date.parse(String(text)) / 1000;
  return {
    ...outer,
    ...tokenContext,
    ...native,
    ...(at === undefined ? {} : { time: seconds(at) }),
    ...(day === undefined ? {} : { time: seconds(day) + secondsPerDay - 1 }),
  };
}

/** Computes the expected quote from the node's logs. */
function expectedOf(
  name: string,
  fields: Fields,
  { token, decimals, time }: QuoteContext,
  currency: StoryCurrency,
): number | string | null {
  const quotedAmount = rates.includes(name) ? 10n ** BigInt(decimals) : quotedAmounts[name.replace("pretty_", "")]?.(fields);
  if (quotedAmount === undefined) throw new Error(`Unknown quote field ${name}.`);
  const rate = token === null ? null : rateOf(token, time, currency);
  if (quotedAmount === null) return null;
  return name.startsWith("pretty_") ? formatAt(quotedAmount, rate, currency) : valueAt(quotedAmount, rate);
}

/** Compares every quote in a response with the expected one, and adds the names of non-null quotes to `filled`. */
function compare(value: unknown, outer: QuoteContext, currency: StoryCurrency, filled: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  const fields = value as Fields;
  if (fields.type === "nft") return;
  const context = Array.isArray(value) ? outer : contextOf(fields, outer);
  if (context.token !== null && poolTokens.has(context.token)) return;
  for (const [name, inner] of Object.entries(fields)) {
    if (!isQuote(name)) {
      compare(inner, context, currency, filled);
      continue;
    }
    expect({ ...context, name, value: inner }).toEqual({ ...context, name, value: expectedOf(name, fields, context, currency) });
    if (inner !== null) filled.add(name);
  }
}

/** Objects whose quotes other tests cover, or that do not occur on this chain. */
const excludedObjects = ["BalanceNftData", "DexReport", "LendingReport", "NftSalesReport", "OtherFees"];

/** Collects the names of the quotes in a documented response. */
function quotesIn(document: Document, value: unknown, found = new Set<string>(), visited = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  for (const [key, inner] of Object.entries(value)) {
    if (key === "$ref" && typeof inner === "string" && !visited.has(inner) && !excludedObjects.some((name) => inner.endsWith(`/${name}`))) {
      visited.add(inner);
      quotesIn(document, resolveReference(document, inner), found, visited);
    }
    if (key === "properties") for (const name of Object.keys(inner as object)) if (isQuote(name)) found.add(name);
    quotesIn(document, inner, found, visited);
  }
  return found;
}

const wallet = `/v1/demo/address/${storyValue("trader")}`;
const swapDayStart = Date.parse(storyValue("swapDay")) / 1000;
/** Endpoints with quotes: the row in the catalog, the path, a target, and the pricing time for objects without a time field. */
const endpoints: readonly (readonly [row: string, path: string, target: string, time: number])[] = [
  ["1", "/v1/{chainName}/address/{walletAddress}/balances_v2/", `${wallet}/balances_v2/`, now],
  [
    "2, a day",
    "/v1/{chainName}/address/{walletAddress}/historical_balances/",
    `${wallet}/historical_balances/?date=${storyValue("swapDay")}`,
    swapDayStart + secondsPerDay - 1,
  ],
  ["3", "/v1/{chainName}/address/{walletAddress}/balances_native/", `${wallet}/balances_native/`, now],
  ["4", "/v1/{chainName}/address/{walletAddress}/portfolio_v2/", `${wallet}/portfolio_v2/?days=40`, now],
  [
    "5, gold",
    "/v1/{chainName}/address/{walletAddress}/transfers_v2/",
    `${wallet}/transfers_v2/?contract-address=${storyValue("goldToken")}`,
    now,
  ],
  ["5, all", "/v1/{chainName}/address/{walletAddress}/transfers_v2/", `${wallet}/transfers_v2/?page-size=1000`, now],
  ["22", "/v1/{chainName}/transaction_v2/{txHash}/", `/v1/demo/transaction_v2/${storyValue("swapTransaction")}/`, now],
  ["24", "/v1/{chainName}/bulk/transactions/{walletAddress}/", `/v1/demo/bulk/transactions/${storyValue("newcomer")}/?no-logs=true`, now],
  ["25", "/v1/{chainName}/address/{walletAddress}/transactions_v3/", `${wallet}/transactions_v3/?no-logs=true`, now],
  ["26", "/v1/{chainName}/address/{walletAddress}/transactions_v3/page/{page}/", `${wallet}/transactions_v3/page/0/?no-logs=true`, now],
  [
    "27",
    "/v1/{chainName}/bulk/transactions/{walletAddress}/{timeBucket}/",
    `/v1/demo/bulk/transactions/${storyValue("trader")}/${storyValue("swapTimeBucket")}/`,
    now,
  ],
  ["28", "/v1/{chainName}/block/{blockHeight}/transactions_v3/", `/v1/demo/block/${storyValue("swapBlockHeight")}/transactions_v3/`, now],
  [
    "29",
    "/v1/{chainName}/block/{blockHeight}/transactions_v3/page/{page}/",
    `/v1/demo/block/${storyValue("swapBlockHeight")}/transactions_v3/page/0/`,
    now,
  ],
  [
    "28, hash",
    "/v1/{chainName}/block_hash/{blockHash}/transactions_v3/",
    `/v1/demo/block_hash/${storyValue("swapBlockHash")}/transactions_v3/`,
    now,
  ],
  [
    "29, hash",
    "/v1/{chainName}/block_hash/{blockHash}/transactions_v3/page/{page}/",
    `/v1/demo/block_hash/${storyValue("swapBlockHash")}/transactions_v3/page/0/`,
    now,
  ],
  ["38", "/v1/{chainName}/event/{eventType}/gas_prices/", "/v1/demo/event/erc20/gas_prices/", now],
];
const summaryPath = "/v1/{chainName}/address/{walletAddress}/transactions_summary/";

const fetchQuotes = (target: string, currency: StoryCurrency) =>
  call(`${target}${target.includes("?") ? "&" : "?"}quote-currency=${currency}`);

describe("quotes", () => {
  it.each(endpoints)("are null in row %s only for unpriced tokens or in a currency without a feed", async (_row, path, target, time) => {
    const document = await readDocument();
    const fields = quotesIn(document, document.paths[path]);
    for (const currency of ["USD", "EUR", "CAD"] as const) {
      const { status, body } = await fetchQuotes(target, currency);
      expect(status).toBe(200);
      const filled = new Set<string>();
      compare((body as Fields).data, { token: null, decimals: 0, time }, currency, filled);
      // This chain has no feed for the Canadian dollar.
      expect([currency, [...filled].sort()]).toEqual([currency, currency === "CAD" ? [] : [...fields].sort()]);
    }
  });

  it("use the prices in the hour of the requested block in getHistoricalTokenBalancesForWalletAddress", async () => {
    const time = await timeOf(Number(storyValue("swapBlockHeight")));
    const { body } = await fetchQuotes(`${wallet}/historical_balances/?block-height=${storyValue("swapBlockHeight")}`, "EUR");
    const filled = new Set<string>();
    compare((body as Fields).data, { token: null, decimals: 0, time }, "EUR", filled);
    expect([...filled].sort()).toEqual(["pretty_quote", "quote", "quote_rate"]);
  });

  it("are null in getTokenBalancesForWalletAddress for the wash-traded token, but not for tokens with a pool above the liquidity floor", async () => {
    const { body } = await fetchQuotes(`${wallet}/balances_v2/`, "USD");
    const { items } = (body as { readonly data: { readonly items: readonly Fields[] } }).data;
    const priced = items.filter(({ quote }) => quote !== null).map(({ contract_address: token }) => String(token));
    const names = [...stablecoins, "usdToken", "goldToken", "saltToken", "tollToken", "ticketToken", "saffronToken", "wrappedNative"];
    expect(priced.filter((token) => !poolTokens.has(token)).sort()).toEqual([nativeToken, ...names.map(storyValue)].sort());
    const washTraded = items.find(({ contract_address: token }) => token === storyValue("bytes32Token"));
    expect(washTraded).toMatchObject({ quote_rate: null, quote: null, pretty_quote: null });
    expect(BigInt(String(washTraded?.balance))).toBeGreaterThan(0n);
  });

  it("are sums of each day's fees at the day's last price in getTransactionSummary", async () => {
    const head = Number(await callNode<string>("eth_blockNumber"));
    const heights = Array.from({ length: head + 1 }, (_, height) => `0x${height.toString(16)}`);
    const blocks = await nodeBatch<{ readonly timestamp: string }>(
      "eth_getBlockByNumber",
      heights.map((height) => [height, false]),
    );
    const receipts = await nodeBatch<readonly Fields[]>(
      "eth_getBlockReceipts",
      heights.map((height) => [height]),
    );
    const sent = receipts.flatMap((all, height) =>
      all
        .filter(({ from }) => from === storyValue("trader"))
        .map(({ gasUsed, effectiveGasPrice }) => ({
          time: Number(blocks[height]?.timestamp),
          fees: BigInt(String(gasUsed)) * BigInt(String(effectiveGasPrice)),
        })),
    );
    const days = new Map<number, bigint>();
    for (const { time, fees } of sent) {
      const last = (Math.floor(time / secondsPerDay) + 1) * secondsPerDay - 1;
      days.set(last, (days.get(last) ?? 0n) + fees);
    }
    for (const currency of ["USD", "EUR", "CAD"] as const) {
      const { body } = await fetchQuotes(`${wallet}/transactions_summary/?with-gas=true`, currency);
      const [item] = (body as { readonly data: { readonly items: readonly { readonly gas_summary: Fields }[] } }).data.items;
      const gasSummary = item?.gas_summary ?? {};
      const values = [...days].map(([last, fees]) => valueAt(fees, rateOf(nativeToken, last, currency)));
      if (currency === "CAD") {
        expect(Object.entries(gasSummary).filter(([name, value]) => isQuote(name) && value !== null)).toEqual([]);
        continue;
      }
      expect(values).not.toContain(null);
      const total = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
      expectNear(Number(gasSummary.total_gas_quote), total);
      expectNear(Number(gasSummary.average_gas_quote_per_tx), total / sent.length);
      const prettyValue = (value: number): string =>
        `${currency === "EUR" ? "€" : "$"}${(Math.floor(value * 100) / 100).toLocaleString("en-US", { minimumFractionDigits: 2 })}`;
      expect([gasSummary.pretty_total_gas_quote, gasSummary.pretty_average_gas_quote_per_tx]).toEqual([
        prettyValue(total),
        prettyValue(total / sent.length),
      ]);
    }
  });

  it("occur in no other responses, except for exchanges, prices, NFTs, approvals and community endpoints", async () => {
    const document = await readDocument();
    const testedElsewhere = /xy=k|\/pricing\/|nft|\/collection\/|\/approvals\/|\/cq\//;
    const paths = Object.keys(document.paths).filter(
      (path) => !testedElsewhere.test(path) && quotesIn(document, document.paths[path]).size > 0,
    );
    expect(paths.sort()).toEqual([...new Set([...endpoints.map(([, path]) => path), summaryPath])].sort());
  });
});
