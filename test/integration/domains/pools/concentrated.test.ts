import { afterAll, beforeAll } from "vitest";
import { describeActions } from "./concentrated/actions.ts";
import { describeIndexing } from "./concentrated/indexing.ts";
import { describePoolState } from "./concentrated/pool-state.ts";
import { setUp, tearDown } from "./concentrated/setup.ts";

// All suites share one chain and one index, because building them takes most of the time.
beforeAll(setUp, 120_000);
afterAll(tearDown);

describePoolState();
describeActions();
describeIndexing();
