import { defineConfig } from "vitest/config";

const shared = { pool: "forks", testTimeout: 60_000, hookTimeout: 300_000 } as const;

export default defineConfig({
  test: {
    poolOptions: { forks: { maxForks: 2 } },
    projects: [
      { test: { ...shared, name: "unit", include: ["test/unit/**/*.test.ts"] } },
      {
        test: {
          ...shared,
          name: "integration",
          include: ["test/integration/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
      {
        test: {
          ...shared,
          testTimeout: 300_000,
          name: "contract",
          include: ["test/contract/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts", "test/support/app-setup.ts"],
        },
      },
      {
        test: {
          ...shared,
          testTimeout: 300_000,
          name: "e2e",
          include: ["test/e2e/**/*.test.ts"],
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
    ],
  },
});
