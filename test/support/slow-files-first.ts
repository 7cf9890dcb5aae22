import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take 8 s or more on the reference machine, the slowest first. If a slow file started last, one worker would run alone at the end. */
const slowFiles: readonly string[] = [
  "e2e/indexer/kills-matrix",
  "e2e/story/kills-and-reorganisations",
  "e2e/indexer/reorganisations-matrix",
  "e2e/story/edge-cases",
  "e2e/start/start",
  "e2e/start/stopping",
  "e2e/start/terminal",
  "e2e/commands/used-database",
  "e2e/generator/scaffold/stubs",
  "e2e/commands/nfts",
  "e2e/story/nonstandard-tokens",
  "e2e/indexer/kills",
  "e2e/commands/first-use",
  "e2e/demo/short-story",
  "e2e/demo/community/views",
  "e2e/database/keep-embedded",
  "e2e/start/embedded-restart",
  "e2e/bench/nft-story",
  "e2e/commands/commands",
  "e2e/demo/processes",
  "e2e/commands/prices",
  "e2e/generator/output/run",
  "e2e/indexer/leader",
  "integration/indexer/faulty-node",
  "integration/domains/nft/reorganisation",
  "integration/domains/dex/reorganisation",
  "contract/contract",
  "contract/story/exact",
  "integration/domains/standards/against-node",
  "integration/domains/approvals/read-allowances",
  "integration/domains/as-of-projection",
  "integration/domains/tokens/reconcile-balances/eventless-changes",
  "integration/hostile/linear-time",
  "integration/domains/tokens/reconcile-balances/late-start",
  "integration/indexer/flows",
  "integration/indexer/native-state",
  "integration/indexer/reorganisations",
  "integration/hostile/hostile-token-names",
  "contract/generated-client",
  "integration/domains/nft-metadata/worker",
  "integration/domains/nft-metadata/duration",
  "integration/domains/tokens/tokens-against-node",
  "contract/invalid-responses",
  "contract/request-validation",
  "integration/commands/stop-without-node",
  "integration/http/credits",
  "integration/indexer/heads",
  "integration/domains/tokens/reconcile-balances/zero-balances",
  "integration/http/openapi-checks",
  "integration/http/validation",
  "integration/domains/pools/chain",
  "contract/pages/docs",
  "integration/domains/prices/reorganisation",
  "integration/domains/tokens/reconcile-balances/supplies",
  "integration/indexer/open-index",
  "integration/domains/nft-sales/reorganisation",
  "contract/story/activity",
  "contract/story/stable-pages",
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = slowFiles.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? slowFiles.length : rank;
};

/** Starts the files that are known to be slow first, because a fresh clone has no timings of an earlier run. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((left, right) => rankOf(left) - rankOf(right));
  }
}
