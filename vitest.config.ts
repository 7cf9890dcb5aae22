import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    poolOptions: { forks: { maxForks: 2 } },
    testTimeout: 60_000,
    hookTimeout: 300_000,
    reporters: ["default"],
  },
});
