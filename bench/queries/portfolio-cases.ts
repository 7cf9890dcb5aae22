import type { TokenQueries } from "../../runtime/domains/tokens/queries/index.ts";
import type { Address } from "../../runtime/lib/hex.ts";
import { secondsPerDay } from "../../runtime/lib/time.ts";
import type { QueryCase } from "./query-case.ts";
import { type StoryFacts, timeOfBlock } from "./story.ts";

const chainId = 1;
const days = 30;

/** Holdings of wallets over the last thirty days with metadata, as in the resolver. */
export function portfolioCases(tokens: TokenQueries, facts: StoryFacts): readonly QueryCase[] {
  const lastSecond = timeOfBlock(facts, facts.blockCount - 1);
  const firstDay = (Math.floor(lastSecond / secondsPerDay) - days + 1) * secondsPerDay;
  const bounds = Array.from({ length: days + 1 }, (_, day) => firstDay + day * secondsPerDay);

  const portfolio = async (owner: Address) => {
    const heights = (await tokens.heightsBefore(chainId, bounds)).map((height) => height ?? -1);
    const spans = { starts: heights.slice(0, days).map((height) => height + 1), ends: heights.slice(1) };
    const [opening, changes] = await Promise.all([
      tokens.balancesAt(chainId, owner, heights[0] ?? -1),
      tokens.balanceSpans(chainId, owner, spans),
    ]);
    await tokens.metadata(
      chainId,
      [...opening, ...changes].map(({ token }) => token),
    );
    return changes;
  };

  return [
    {
      name: "portfolio of 30 days and 30 tokens",
      targetMilliseconds: 20,
      minRows: 25,
      run: (iteration) => portfolio(facts.ordinary[iteration % facts.ordinary.length] ?? facts.collector),
    },
    { name: "portfolio of a busy wallet", targetMilliseconds: 100, minRows: 300, run: () => portfolio(facts.busy) },
    { name: "portfolio of 30,000 tokens", targetMilliseconds: null, minRows: 5_000, run: () => portfolio(facts.collector) },
  ];
}
