import { inject } from "vitest";
import type { SharedApp } from "./app-setup.ts";

/** The service that all tests of a run share; they may not change its chain or its index. */
export const useApp = async (): Promise<SharedApp> => inject("app");
