import { defineConfig } from "vitest/config";

/** `npm run test:long`: the full matrices, one file after the other. */
export default defineConfig({
  test: {
    pool: "forks",
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 300_000,
    include: ["test/long/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
  },
});
