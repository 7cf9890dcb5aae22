import { standards } from "../../runtime/domains/tokens/projection/standards.ts";
import type { TokenQueries } from "../../runtime/domains/tokens/queries/index.ts";
import type { QueryCase } from "./query-case.ts";
import type { StoryFacts } from "./story.ts";

const chainId = 1;
const pageSize = 100;
const deepRow = 10_000;

/** Pages of the popular token's holders, at the head and at past blocks, each with its totals. */
export function holderCases(tokens: TokenQueries, facts: StoryFacts): readonly QueryCase[] {
  const head = facts.blockCount - 1;
  const token = facts.popularToken;

  /** A page as in the resolver; the offset may depend on the number of holders. */
  const page = async (block: number, offsetOf: (holders: number) => number) => {
    const totals = await tokens.tokenTotalsAt(chainId, token, standards.erc20, block);
    const holders = totals?.holders ?? 0;
    return tokens.holdersAt(chainId, token, standards.erc20, block, {
      limit: pageSize,
      offset: Math.max(0, offsetOf(holders)),
      total: holders,
    });
  };
  const lastPage = (holders: number): number => holders - pageSize;
  /** Returns a different past block for each iteration, starting at a percentage of the chain. */
  const pastBlock = (percent: number, iteration: number): number => Math.floor((head * percent) / 100) + iteration;
  const pastCase = (
    name: string,
    percent: number,
    targetMilliseconds: number | null,
    offsetOf: (holders: number) => number,
  ): QueryCase => ({
    name: `${name} at ${percent}% of the chain`,
    targetMilliseconds,
    minRows: pageSize,
    run: (iteration) => page(pastBlock(percent, iteration), offsetOf),
  });

  return [
    { name: "holders first page", targetMilliseconds: 10, minRows: pageSize, run: () => page(head, () => 0) },
    { name: "holders row 10,000", targetMilliseconds: 10, minRows: pageSize, run: () => page(head, () => deepRow) },
    { name: "holders last page", targetMilliseconds: 100, minRows: pageSize, run: () => page(head, lastPage) },
    {
      name: "holders middle page",
      targetMilliseconds: null,
      minRows: pageSize,
      run: () => page(head, (holders) => Math.floor(holders / 2) - pageSize),
    },
    ...[90, 50, 10, 1].map((percent) => pastCase("holders first page", percent, 10, () => 0)),
    // At 1 % of the chain, the smaller index has fewer holders.
    ...[90, 50, 10].map((percent) => pastCase("holders row 10,000", percent, null, (holders) => Math.min(deepRow, lastPage(holders)))),
    ...[90, 50].map((percent) => pastCase("holders last page", percent, null, lastPage)),
  ];
}
