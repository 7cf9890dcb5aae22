import { defineConfig } from "vitest/config";
import { measureSlowness, workerCount } from "./test/support/machine-speed.ts";
import { SlowFilesFirst } from "./test/support/slow-files-first.ts";
import { memoryBackedDirectory } from "./test/support/temporary-directory.ts";

const slowness = measureSlowness();
// Workers inherit the variable, and test/support/scale-time-limit.ts reads it there.
process.env.ASHLAR_TEST_SLOWNESS = String(slowness);
// TMPDIR determines os.tmpdir() in this process and in all processes that it starts.
const temporaryDirectory = process.env.TMPDIR ?? memoryBackedDirectory();
if (temporaryDirectory !== undefined) process.env.TMPDIR = temporaryDirectory;
const limits = (milliseconds: number) => ({ testTimeout: milliseconds * slowness, hookTimeout: 300_000 * slowness });

/**
 * The end-to-end tests that `npm test` runs: commands as processes that fail or are stopped. They are part of the integration project, because projects run
 * one after the other, and these few cases would leave most workers idle.
 */
const smoke = ["test/e2e/commands/commands.test.ts"];

/**
 * Integration tests that take several seconds per case, because they index a chain several times, stop and start servers, compare all values with the
 * node, or use a browser. `npm run test:slow` and `.ci/run` run them, `npm test` does not.
 */
const slow = [
  "test/integration/**/{*-,}reorganisation.test.ts",
  "test/integration/**/faulty-node.test.ts",
  "test/integration/{backup/{backup,chain-tables,snapshot*},shards/*}.test.ts",
  "test/integration/commands/{node-failover,stop-without-node,stopped-indexer}.test.ts",
  "test/integration/console/pages.test.ts",
  "test/integration/database/{failover,primary-outage,replicas}.test.ts",
  "test/integration/demo/compiled-contracts.test.ts",
  "test/integration/domains/as-of-projection.test.ts",
  "test/integration/domains/approvals/{against-node,incorrect-allowances,read-allowances,without-event}.test.ts",
  "test/integration/domains/bitcoin/address-history.test.ts",
  "test/integration/domains/community/{install,listed-contracts,read-arguments,read-contracts}.test.ts",
  "test/integration/domains/community/*/lending-details.test.ts",
  "test/integration/domains/deep-pages/{deep-pages,served}.test.ts",
  "test/integration/domains/nft-metadata/{duration,worker-queue}.test.ts",
  "test/integration/domains/prices/medians.test.ts",
  "test/integration/domains/standards/against-node.test.ts",
  "test/integration/domains/tokens/tokens-against-node.test.ts",
  "test/integration/domains/tokens/reconcile-balances/{eventless-changes,zero-balances}.test.ts",
  "test/integration/indexer/{black-holes,native-state-reorganisations,overlap}.test.ts",
];

/**
 * End-to-end tests that take minutes: kills and reorganisations at many points, including during backups and the commands that use them, complete stories
 * compared with the node, the demo's node, and terminal output. `npm run test:all` runs them, `.ci/run` does not.
 */
const exhaustive = [
  "test/e2e/story/**/*.test.ts",
  "test/e2e/indexer/*-matrix.test.ts",
  "test/e2e/bench/{*story,nft-documents}.test.ts",
  "test/e2e/commands/{backup,move-chain}.test.ts",
  "test/e2e/database/upgrade.test.ts",
  "test/e2e/demo/{full-story,processes,short-story,community/views}.test.ts",
  "test/e2e/deploy/image.test.ts",
  "test/e2e/start/terminal.test.ts",
];

/** Test files share workers and their modules in every tier: a file must restore the globals and the environment that it changes. */
export default defineConfig({
  test: {
    sequence: { groupOrder: 1, sequencer: SlowFilesFirst },
    maxWorkers: workerCount,
    // With fewer, tinypool terminates an idle worker twice if workers keep their modules, and the run fails.
    minWorkers: workerCount,
    // Covers unit, integration and contract tests (`npm run coverage`); processes that end-to-end tests start are not counted.
    coverage: {
      provider: "v8",
      include: ["generator/**/*.ts", "runtime/**/*.ts"],
      exclude: ["**/cli.ts", "**/*.test.ts"],
      reporter: ["text-summary", "json-summary"],
      reportsDirectory: "node_modules/.cache/ashlar-coverage",
      // The measured coverage, rounded down. Commands and the embedded PostgreSQL are mostly tested end to end, which is not counted.
      thresholds: {
        lines: 94,
        branches: 93,
        functions: 96,
        "generator/**": { lines: 95 },
        "runtime/http/**": { lines: 98 },
        "runtime/{api,domains,indexer,jobs}/**": { lines: 97 },
      },
    },
    poolOptions: { forks: { isolate: false }, threads: { isolate: false } },
    projects: [
      {
        extends: true,
        test: { ...limits(60_000), name: "unit", pool: "threads", sequence: { groupOrder: 0 }, include: ["test/unit/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          ...limits(300_000),
          name: "integration",
          pool: "forks",
          include: ["test/integration/**/*.test.ts", ...smoke],
          exclude: slow,
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          ...limits(300_000),
          name: "contract",
          pool: "forks",
          include: ["test/contract/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts", "test/support/app-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          ...limits(300_000),
          name: "slow",
          pool: "forks",
          include: slow,
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          ...limits(300_000),
          name: "e2e",
          pool: "forks",
          include: ["test/e2e/**/*.test.ts"],
          exclude: [...smoke, ...exhaustive],
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
      {
        extends: true,
        test: {
          ...limits(300_000),
          name: "exhaustive",
          pool: "forks",
          include: exhaustive,
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
      {
        extends: true,
        // Load tests that take minutes to hours (`npm run test:long`). Files run one at a time, because each measures the machine.
        test: {
          ...limits(300_000),
          name: "long",
          pool: "forks",
          poolOptions: { forks: { singleFork: true } },
          include: ["test/long/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
      {
        extends: true,
        // The contracts of these tests are in separate packages (`npm run test:protocols` installs them). Without the packages, the tests fail with a message
        // that says so.
        test: {
          ...limits(300_000),
          name: "protocols",
          pool: "forks",
          include: ["test/protocols/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
    ],
  },
});
