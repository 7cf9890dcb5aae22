import { factsOf, type StoryFacts, type StorySize, timeOfBlock, transactionHash, transferTopic } from "../queries/story.ts";
import { createRandom } from "../support/random.ts";
import { exchanges } from "./exchanges.ts";
import { nftHolders } from "./index-nfts.ts";
import { pooledTokensOf } from "./index-pools.ts";
import type { RowCase } from "./row-case.ts";

const chain = "/v1/eth-mainnet/";
const isoDay = (unixSeconds: number): string => new Date(unixSeconds * 1000).toISOString().slice(0, 10);
const secondsPerDay = 86_400;
/** Pages of an ordinary wallet, which has at least 300 transfers. */
const ordinaryPages = 3;
const maxBusyPages = 200;
const transactionsPerBlock = 8;

/** The rows of the interface with requests that vary over wallets, tokens, blocks and pages. */
function rowCases(facts: StoryFacts): readonly RowCase[] {
  return [...walletCases(facts), ...ledgerCases(facts), ...tokenCases(facts), ...nftCases(), ...exchangeCases(facts)];
}

/** Returns the cases for the given rows, or for all rows if none is given. @throws {RangeError} for an unknown row. */
export function selectCases(size: StorySize, rows: readonly string[]): readonly RowCase[] {
  const all = rowCases(factsOf(size));
  const unknown = rows.find((row) => !all.some((rowCase) => rowCase.row === row));
  if (unknown !== undefined) {
    throw new RangeError(`Invalid value "${unknown}" for --rows: expected one or more of ${all.map(({ row }) => row).join(", ")}.`);
  }
  return all.filter(({ row }) => rows.length === 0 || rows.includes(row));
}

const ofWallet = (wallet: string, path: string): string => `${chain}address/${wallet}/${path}`;
const range = <T>(length: number, itemOf: (index: number) => T): T[] => Array.from({ length }, (_, index) => itemOf(index));

function walletCases({ ordinary, busy, collector, blockCount }: StoryFacts): RowCase[] {
  // Full pages: the busy address sends two of fifteen transactions.
  const busyPages = Math.min(maxBusyPages, Math.floor((blockCount * transactionsPerBlock * 2) / 15 / 100));
  const transfers = (wallet: string, page: number): string => ofWallet(wallet, `transfers_v2/?page-size=100&page-number=${page}`);
  return [
    { row: "1", name: "balances_v2", kind: "balances", paths: ordinary.map((wallet) => ofWallet(wallet, "balances_v2/")) },
    { row: "4", name: "portfolio_v2", kind: "list", paths: ordinary.map((wallet) => ofWallet(wallet, "portfolio_v2/")) },
    {
      row: "5",
      name: "transfers_v2",
      kind: "list",
      paths: shuffled([
        ...ordinary.flatMap((wallet) => range(ordinaryPages, (page) => transfers(wallet, page))),
        ...range(busyPages, (page) => transfers(busy, page)),
      ]),
    },
    {
      row: "26",
      name: "transactions_v3/page",
      kind: "list",
      paths: shuffled(range(busyPages, (page) => ofWallet(busy, `transactions_v3/page/${page}/`))),
    },
    {
      row: "24",
      name: "bulk/transactions",
      kind: "list",
      paths: [busy, ...ordinary].map((wallet) => `${chain}bulk/transactions/${wallet}/`),
    },
    {
      row: "1-30000",
      name: "balances of 30,000 tokens",
      kind: "balances",
      paths: [ofWallet(collector, "balances_v2/")],
      isLong: true,
      maxConnections: 8,
    },
  ];
}

function ledgerCases(facts: StoryFacts): RowCase[] {
  const { blockCount } = facts;
  const transactions = blockCount * transactionsPerBlock;
  const blocksPerRange = 100;
  const starts = range(100, (index) => Math.floor(((blockCount - blocksPerRange) * index) / 100));
  const days = Math.floor((timeOfBlock(facts, blockCount - 1) - timeOfBlock(facts, 0)) / secondsPerDay) - 1;
  // The number of full pages in two days.
  const pagesOfDays = Math.max(1, Math.min(4, Math.floor((2 * blockCount) / days / 100) - 1));
  const dayOf = (index: number): string => isoDay(timeOfBlock(facts, 0) + (1 + index) * secondsPerDay);
  return [
    {
      row: "22",
      name: "transaction_v2",
      kind: "list",
      paths: range(500, (index) => `${chain}transaction_v2/${transactionHash(Math.floor((transactions * index) / 500))}/`),
    },
    {
      row: "29",
      name: "block transactions_v3/page",
      kind: "list",
      paths: range(500, (index) => `${chain}block/${Math.floor((blockCount * index) / 500)}/transactions_v3/page/0/`),
    },
    {
      row: "31",
      name: "block_v2 of a range of days",
      kind: "list",
      paths: shuffled(
        range(days - 2, dayOf).flatMap((day, index) =>
          range(pagesOfDays, (page) => `${chain}block_v2/${day}/${dayOf(index + 1)}/?page-number=${page}`),
        ),
      ),
    },
    {
      row: "34",
      name: "events/topics",
      kind: "list",
      paths: shuffled(
        starts.flatMap((first) =>
          range(
            4,
            (page) =>
              `${chain}events/topics/${transferTopic}/?starting-block=${first}&ending-block=${first + blocksPerRange}&page-size=100&page-number=${page}`,
          ),
        ),
      ),
    },
  ];
}

function tokenCases(facts: StoryFacts): RowCase[] {
  const { popularToken, popularHolderCount, tokenOf } = facts;
  const pages = Math.min(100, Math.floor(popularHolderCount / 100));
  const from = isoDay(timeOfBlock(facts, 0) + 30 * secondsPerDay);
  const to = isoDay(timeOfBlock(facts, 0) + 59 * secondsPerDay);
  return [
    {
      row: "6",
      name: "token_holders_v2",
      kind: "list",
      paths: shuffled([
        ...range(pages, (page) => `${chain}tokens/${popularToken}/token_holders_v2/?page-size=100&page-number=${page}`),
        ...range(100, (index) => `${chain}tokens/${tokenOf(1 + index)}/token_holders_v2/?page-size=100`),
      ]),
    },
    {
      row: "Pricing",
      name: "prices of 30 days",
      kind: "list",
      paths: range(
        300,
        (index) => `/v1/pricing/historical_by_addresses_v2/eth-mainnet/USD/${tokenOf(1_000 + index)}/?from=${from}&to=${to}`,
      ),
    },
  ];
}

const nftCases = (): RowCase[] => [
  { row: "7", name: "balances_nft", kind: "balances", paths: nftHolders.map(({ wallet }) => ofWallet(wallet, "balances_nft/")) },
  {
    row: "18",
    name: "collection of a wallet",
    kind: "list",
    paths: nftHolders.flatMap(({ wallet, collections }) => collections.map((collection) => ofWallet(wallet, `collection/${collection}/`))),
  },
];

const exchangeCases = (facts: StoryFacts): RowCase[] => [
  {
    row: "42",
    name: "pools of a token",
    kind: "list",
    paths: pooledTokensOf(facts).map((token) => `${chain}xy=k/tokens/address/${token}/pools/page/0/`),
  },
  { row: "54", name: "ecosystem", kind: "list", paths: exchanges.map(({ name }) => `${chain}xy=k/${name}/ecosystem/`) },
];

/** Shuffles the items in place, in the same order in each run. */
function shuffled(items: string[]): string[] {
  const random = createRandom(1);
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [items[last], items[other]] = [items[other] ?? "", items[last] ?? ""];
  }
  return items;
}
