import { inject } from "vitest";
import type { SharedApp } from "./app-setup.ts";

/** The service shared by all tests of a run, which must not change its chain or its index. */
export const useApp = async (): Promise<SharedApp> => inject("app");
