import { inject } from "vitest";
import type { SharedApp } from "./app-setup.ts";
import { until } from "./until.ts";

/** The max time until the app is ready: the first run also builds the story and compiles its contracts. */
const preparationMilliseconds = 600_000;

const waitForApp = async (): Promise<SharedApp> => {
  let app: SharedApp | undefined;
  await until(
    "the story to be indexed and served",
    async () => {
      const response = await fetch(inject("appUrl"));
      const body = await response.text();
      if (!response.ok) throw new Error(`The story could not be prepared: ${body}`);
      if (response.status === 200) app = JSON.parse(body) as SharedApp;
      return app !== undefined;
    },
    preparationMilliseconds,
  );
  if (app === undefined) throw new Error("The story was not prepared");
  return app;
};

let shared: Promise<SharedApp> | undefined;

/** The service that all tests of a run share. Tests must not change its chain or its index. */
export const useApp = (): Promise<SharedApp> => {
  shared ??= waitForApp();
  return shared;
};
