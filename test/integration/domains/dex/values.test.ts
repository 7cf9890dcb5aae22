import { afterAll, beforeAll } from "vitest";
import { describeExchange } from "./values/exchange.ts";
import { describePools } from "./values/pools.ts";
import { setUp, tearDown } from "./values/setup.ts";
import { describeWallets } from "./values/wallets.ts";

// All suites share one chain and one index, because building them takes most of the time.
beforeAll(setUp, 120_000);
afterAll(tearDown);

describePools();
describeExchange();
describeWallets();
