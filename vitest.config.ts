import { defineConfig } from "vitest/config";
import { measureSlowness, workers } from "./test/support/machine-speed.ts";

const slowness = measureSlowness();
const limits = (milliseconds: number) => ({ testTimeout: milliseconds * slowness, hookTimeout: 300_000 * slowness });

/** The end-to-end tests that `npm test` runs: one start and stop of each kind. The rest runs in `npm run test:all`. */
const smoke = ["test/e2e/package/**/*.test.ts", "test/e2e/commands/commands.test.ts"];

/** Every tier runs its files in workers that keep their modules: a file leaves globals and environment as it found them. */
export default defineConfig({
  test: {
    provide: { slowness },
    sequence: { groupOrder: 1 },
    maxWorkers: workers,
    // Fewer would be started again and again: tinypool fails where a worker ends while it is asked to.
    minWorkers: workers,
    poolOptions: { forks: { isolate: false }, threads: { isolate: false } },
    projects: [
      {
        extends: true,
        test: { ...limits(60_000), name: "unit", pool: "threads", sequence: { groupOrder: 0 }, include: ["test/unit/**/*.test.ts"] },
      },
      {
        extends: true,
        test: {
          ...limits(60_000),
          name: "integration",
          pool: "forks",
          include: ["test/integration/**/*.test.ts"],
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
          name: "smoke",
          pool: "forks",
          include: smoke,
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
          exclude: smoke,
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
    ],
  },
});
