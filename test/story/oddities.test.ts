import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { createJudge, differences } from "../support/oddities/judge-heights.ts";
import { type OddChain, oddChainConfig, serveChains, spread, startOddChain } from "../support/oddities/stage.ts";
import { indexUntilHead } from "../support/service.ts";

/** Two chains of other forks and other settings in one database: the second is indexed from its tenth block on. */
const chains = [
  { name: "prague", id: 31337, fork: "prague", from: 0 },
  { name: "london", id: 31338, fork: "london", from: 10 },
] as const;

let test: TestDatabase;
let odd: OddChain[];
let service: Awaited<ReturnType<typeof serveChains>>;
const indexing: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  [test, odd] = await Promise.all([createTestDatabase(), Promise.all(chains.map(({ id, fork }) => startOddChain(id, fork)))]);
  const configs = chains.map(({ name, from }, position) => oddChainConfig(odd[position] as OddChain, name, { from }));
  indexing.push(...(await Promise.all(configs.map((config) => indexUntilHead(config, test.url)))));
  service = await serveChains(configs, test.database);
});
afterAll(async () => {
  await service?.stop();
  await Promise.all(indexing.map((running) => running.stop()));
  await Promise.all((odd ?? []).map((chain) => chain.stop()));
  await test?.drop();
});

describe.each(chains)("the chain of $fork's rules, indexed from block $from on", ({ name, id, from }) => {
  const judge = () => {
    const { chain, story, participants } = odd.find((candidate) => candidate.id === id) as OddChain;
    const told = story.tokens.filter(({ truth }) => truth === "events");
    return { story, told, ...createJudge(chain, { ...service, name }, told, story.ids, participants) };
  };

  it("has every balance at many heights", async () => {
    const { at, story } = judge();
    const compared = (await Promise.all(spread(from, story.head, 16).map((height) => at(height)))).flat();
    const found = differences(compared);
    require("node:fs").writeFileSync(`/tmp/w/story-${name}.txt`, found.join("\n"));
    expect(found.length).toEqual(0);
  });
});
