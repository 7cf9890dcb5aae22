import { defineConfig } from "vitest/config";

const shared = { pool: "forks", testTimeout: 60_000, hookTimeout: 300_000 } as const;
/** Tests against the whole service on the whole story: started once for all of them. */
const onTheStory = ["test/contract/**/*.test.ts", "test/pages/**/*.test.ts", "test/story/**/*.test.ts"];

export default defineConfig({
  test: {
    poolOptions: { forks: { maxForks: 2 } },
    projects: [
      {
        test: {
          ...shared,
          name: "rooms",
          include: ["test/**/*.test.ts"],
          exclude: [...onTheStory, "test/long/**"],
          globalSetup: ["test/support/global-setup.ts"],
        },
      },
      {
        test: {
          ...shared,
          testTimeout: 300_000,
          name: "story",
          include: onTheStory,
          globalSetup: ["test/support/global-setup.ts", "test/support/app-setup.ts"],
        },
      },
    ],
  },
});
