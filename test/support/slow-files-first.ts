import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of 8 s and more on the reference machine, the slowest first. A file that starts last should be short, or a worker runs alone in the end. */
const slowFiles: readonly string[] = [
  "e2e/story/kills-and-reorganisations",
  "e2e/start/start",
  "e2e/start/stopping",
  "integration/indexer/faulty-node",
  "e2e/start/terminal",
  "e2e/commands/used-database",
  "e2e/generator/scaffold/stubs",
  "e2e/commands/nfts",
  "e2e/indexer/kills",
  "e2e/commands/first-hour",
  "e2e/demo/short-story",
  "e2e/database/keep-embedded",
  "e2e/start/embedded-restart",
  "e2e/bench/nft-story",
  "integration/domains/prices/reorganised",
  "integration/hostile/linear-time",
  "e2e/commands/commands",
  "e2e/demo/processes",
  "integration/indexer/flows",
  "e2e/commands/prices",
  "integration/domains/approvals/read-allowances",
  "integration/domains/nft/reorganisation",
  "integration/domains/tokens/reconcile-balances/quiet-changes",
  "integration/indexer/native-state",
  "integration/domains/dex/reorganisation",
  "integration/indexer/reorganisations",
  "e2e/generator/output/run",
  "e2e/indexer/leader",
  "contract/contract",
  "contract/story/nonstandard-tokens",
  "contract/story/edge-cases",
  "contract/pages/docs",
  "contract/story/exact",
  "contract/story/stable-pages",
  "contract/generated-client",
  "contract/invalid-responses",
  "integration/commands/stop-without-node",
  "integration/domains/nft-metadata/reading",
  "integration/domains/as-of-projection",
  "integration/domains/standards/against-node",
  "integration/domains/nft-sales/reorganisation",
  "integration/http/credits",
  "integration/domains/tokens/reconcile-balances/late-start",
  "integration/indexer/heads",
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = slowFiles.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? slowFiles.length : rank;
};

/** Starts the files that are known to be slow first: a fresh clone has no timings of an earlier run. */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((left, right) => rankOf(left) - rankOf(right));
  }
}
