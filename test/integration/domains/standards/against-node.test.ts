import { afterAll, beforeAll } from "vitest";
import { describeChanges } from "./against-node/changes.ts";
import { describeLimitedNodes } from "./against-node/limited-nodes.ts";
import { describeNonstandardLogs } from "./against-node/nonstandard-logs.ts";
import { setUp, tearDown } from "./against-node/setup.ts";

// All suites share one chain and one index, because building them takes most of the time.
beforeAll(setUp);
afterAll(tearDown);

describeNonstandardLogs();
describeLimitedNodes();
describeChanges();
