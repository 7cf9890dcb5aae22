import type { Queryable } from "../../runtime/database/database.ts";
import { createLedgerQueries, type LedgerQueries } from "../../runtime/domains/ledger/queries/index.ts";
import { standards } from "../../runtime/domains/tokens/projection/standards.ts";
import { createTokenQueries } from "../../runtime/domains/tokens/queries/index.ts";
import { type Hash, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { holderCases } from "./holder-cases.ts";
import { portfolioCases } from "./portfolio-cases.ts";
import type { QueryCase } from "./query-case.ts";
import type { StoryFacts } from "./story.ts";

const chainId = 1;
const pageSize = 100;
const transferTopic: Hash = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

const unusedTopic: Hash = `0x${"0".repeat(24)}${"ab".repeat(20)}`;

/** Cases that call the query functions: the statements of a resolver with decoded rows, without HTTP. */
export function queryCases(database: Queryable, facts: StoryFacts): readonly QueryCase[] {
  const ledger = createLedgerQueries(database);
  const tokens = createTokenQueries(database);
  const head = facts.blockCount - 1;
  const ordinary = (iteration: number) => facts.ordinary[iteration % facts.ordinary.length] ?? facts.collector;

  /** A page of a wallet's transactions, newest first, as in the resolver: the count, then a range of ordinals. */
  const transactionsPage = async (pageOf: (count: number) => number) => {
    const count = await ledger.transactionCountOfAddress(chainId, facts.busy, head);
    const newest = count - 1 - pageOf(count) * pageSize;
    return ledger.transactionsOfAddress(chainId, facts.busy, Math.max(0, newest - pageSize + 1), newest);
  };
  const transfersPage = async (iteration: number) => {
    const { positions } = await tokens.transferTransactions(chainId, ordinary(iteration), 0, head, pageSize, 0);
    return tokens.transfersAt(chainId, ordinary(iteration), null, positions);
  };
  const maxRows = 100_000;
  /** Holdings with their metadata, as in the resolver. */
  const balances = async (owner: (iteration: number) => typeof facts.busy, iteration: number) => {
    const { holdings, metadata } = await tokens.holdingsAt(chainId, owner(iteration), head, maxRows);
    return holdings.map((row) => ({ row, metadata: metadata.get(row.token) }));
  };
  const deepPage = (count: number): number => Math.min(1_000, Math.floor(count / pageSize) - 1);
  const lastPage = (count: number): number => Math.ceil(count / pageSize) - 1;

  return [
    { name: "one row, for comparison", targetMilliseconds: null, minRows: 1, run: () => database.query("SELECT 1 AS one", []) },
    { name: "balances of 30 tokens", targetMilliseconds: 10, minRows: 25, run: (iteration) => balances(ordinary, iteration) },
    {
      name: "balances of 30,000 tokens",
      targetMilliseconds: 100,
      minRows: 10_000,
      run: (iteration) => balances(() => facts.collector, iteration),
    },
    { name: "transfers page", targetMilliseconds: 10, minRows: pageSize, run: transfersPage },
    { name: "transactions page 0", targetMilliseconds: 10, minRows: pageSize, run: () => transactionsPage(() => 0) },
    { name: "transactions page 1,000", targetMilliseconds: 10, minRows: pageSize, run: () => transactionsPage(deepPage) },
    { name: "transactions last page", targetMilliseconds: 10, minRows: 1, run: () => transactionsPage(lastPage) },
    ...logCases(ledger, head),
    {
      name: "native balance at a block",
      targetMilliseconds: 10,
      minRows: 1,
      run: async (iteration) => {
        const block = Math.floor((head * (50 + (iteration % 50))) / 100);
        const found = await tokens.balanceAt(chainId, facts.busy, nativeTokenAddress, standards.native, block);
        return found === null ? [] : [found];
      },
    },
    {
      name: "historical balances of 30 tokens",
      targetMilliseconds: 10,
      minRows: 25,
      run: (iteration) => tokens.balancesAt(chainId, ordinary(iteration), Math.floor(head / 2)),
    },
    {
      name: "historical balances of 30,000 tokens",
      targetMilliseconds: 100,
      minRows: 10_000,
      run: () => tokens.balancesAt(chainId, facts.collector, Math.floor(head / 2)),
    },
    ...holderCases(tokens, facts),
    ...portfolioCases(tokens, facts),
  ];
}

const logCases = (ledger: LedgerQueries, head: number): readonly QueryCase[] => [
  {
    name: "logs by topic",
    targetMilliseconds: 10,
    minRows: pageSize,
    run: (iteration) => {
      const first = Math.floor((head * ((iteration * 7) % 100)) / 100);
      return ledger.logs(chainId, { first, last: Math.min(head, first + 1_000), topics: [transferTopic] }, pageSize, 0);
    },
  },
  {
    name: "logs by topic, page 100",
    targetMilliseconds: null,
    minRows: pageSize,
    run: () => ledger.logs(chainId, { first: 0, last: head, topics: [transferTopic] }, pageSize, 100 * pageSize),
  },
  {
    name: "logs by topic and a second topic without matches",
    targetMilliseconds: null,
    minRows: 0,
    run: () => ledger.logs(chainId, { first: 0, last: head, topics: [transferTopic], otherTopics: [unusedTopic] }, pageSize, 0),
  },
];
