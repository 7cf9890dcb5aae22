import { afterAll, beforeAll } from "vitest";
import { describeActions } from "./chain/actions.ts";
import { describeExchanges } from "./chain/exchanges.ts";
import { describePoolState } from "./chain/pool-state.ts";
import { describeSeries } from "./chain/series.ts";
import { setUp, tearDown } from "./chain/setup.ts";

// All suites share one chain and one index, because building them takes most of the time.
beforeAll(setUp, 120_000);
afterAll(tearDown);

describePoolState();
describeSeries();
describeActions();
describeExchanges();
