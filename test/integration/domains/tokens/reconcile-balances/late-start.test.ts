import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { describeBalances } from "./late-start/balances.ts";
import { setUp, setUpTest, tearDown, tearDownTest } from "./late-start/setup.ts";
import { describeUnusualCases } from "./late-start/unusual-cases.ts";

// All suites extend one chain, because building it takes most of the time.
beforeAll(setUp);
afterAll(tearDown);
beforeEach(setUpTest);
afterEach(tearDownTest);

describeBalances();
describeUnusualCases();
