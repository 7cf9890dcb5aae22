import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { describeIndexers } from "./poison-contract/indexers.ts";
import { describeJobs } from "./poison-contract/jobs.ts";
import { setUp, setUpTest, tearDown, tearDownTest } from "./poison-contract/setup.ts";

// All suites share one chain and its contracts.
beforeAll(setUp);
beforeEach(setUpTest);
afterEach(tearDownTest);
afterAll(tearDown);

describeJobs();
describeIndexers();
