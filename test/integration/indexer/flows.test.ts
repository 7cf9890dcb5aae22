import { afterAll, afterEach, beforeAll } from "vitest";
import { describeInterruptions } from "./flows/interruptions.ts";
import { describeLateStart } from "./flows/late-start.ts";
import { describeProjections } from "./flows/projections.ts";
import { describeReorganisations } from "./flows/reorganisations.ts";
import { setUp, tearDown, tearDownTest } from "./flows/setup.ts";

// All suites share one chain, because building it takes most of the time.
beforeAll(setUp);
afterEach(tearDownTest);
afterAll(tearDown);

describeReorganisations();
describeProjections();
describeInterruptions();
describeLateStart();
