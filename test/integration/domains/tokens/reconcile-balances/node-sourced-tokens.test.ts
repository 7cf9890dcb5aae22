import { afterAll, beforeAll } from "vitest";
import { describeDetection } from "./node-sourced-tokens/detection.ts";
import { describeMaintenance } from "./node-sourced-tokens/maintenance.ts";
import { setUp, tearDown } from "./node-sourced-tokens/setup.ts";

// All suites extend one chain and its index: later tests depend on earlier ones.
beforeAll(setUp);
afterAll(tearDown);

describeDetection();
describeMaintenance();
