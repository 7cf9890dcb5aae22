import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files that take 8 s or more on the reference machine, slowest first. If a slow file started last, one worker would run alone at the end. */
const slowFiles: readonly string[] = [
  "e2e/indexer/kills-matrix",
  "e2e/story/kills-and-reorganisations",
  "e2e/story/edge-cases",
  "e2e/start/start",
  "e2e/start/stopping",
  "e2e/start/terminal",
  "e2e/serve/workers",
  "e2e/indexer/reorganisations-matrix",
  "e2e/demo/short-story",
  "e2e/demo/community/views",
  "integration/indexer/faulty-node",
  "e2e/indexer/kills",
  "e2e/generator/output/cli",
  "integration/domains/as-of-projection",
  "integration/domains/nft/reorganisation",
  "contract/contract",
  "e2e/demo/processes",
  "integration/domains/dex/reorganisation",
  "e2e/story/nonstandard-tokens",
  "e2e/commands/first-use",
  "e2e/package/installed",
  "integration/domains/standards/against-node",
  "contract/story/exact",
  "integration/domains/approvals/read-allowances",
  "integration/hostile/linear-time",
  "contract/generated-client",
  "e2e/start/processes",
  "e2e/generator/output/run",
  "integration/commands/community",
  "e2e/start/embedded-restart",
  "e2e/generator/scaffold/stubs",
  "integration/domains/tokens/reconcile-balances/eventless-changes",
  "contract/request-validation",
  "e2e/commands/configured-database",
  "e2e/bench/nft-story",
  "integration/database/reader-role/privileges",
  "e2e/serve/reorganisations",
  "e2e/commands/commands",
  "integration/domains/community/ctokens/reorganisation",
  "contract/story/stable-pages",
  "e2e/serve/killed-database",
  "contract/pages/docs",
  "integration/http/validation",
  "integration/domains/bitcoin/faulty-node",
  "integration/domains/prices/medians",
  "e2e/database/supervise-embedded",
  "integration/domains/bitcoin/address-history",
  "e2e/database/embedded",
  "integration/domains/tokens/tokens-against-node",
  "e2e/bench/nft-documents",
  "e2e/commands/nfts",
  "integration/indexer/native-state",
  "integration/indexer/flows",
  "integration/domains/prices/recompute-prices",
  "integration/http/openapi-checks",
  "contract/generated/generated-requests",
  "integration/indexer/reorganisations",
  "contract/client-approvals",
  "contract/story/quotes",
  "integration/chain/limits",
  "integration/domains/community/curve/reorganisation",
  "integration/domains/community/reorganisation",
  "integration/domains/community/balancer/reorganisation",
  "integration/domains/community/share-vaults/reorganisation",
  "e2e/commands/prices",
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const rank = slowFiles.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return rank === -1 ? slowFiles.length : rank;
};

/** Contract tests wait until the story is built and indexed, which takes a minute or more, so other tests run first. */
const mustWait = ({ project }: TestSpecification): number => (project.name === "contract" ? 1 : 0);

/**
 * Starts the files that are known to be slow first, because a fresh clone has no timings from earlier runs. Vitest runs projects one after the other, in the
 * order of their first files.
 */
export class SlowFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((left, right) => mustWait(left) - mustWait(right) || rankOf(left) - rankOf(right));
  }
}
