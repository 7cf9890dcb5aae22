import { afterAll, beforeAll } from "vitest";
import { describeMarketData } from "./share-pools/market-data.ts";
import { setUp, tearDown } from "./share-pools/setup.ts";
import { describeWallets } from "./share-pools/wallets.ts";

// All suites share one chain and one index, because building them takes most of the time.
beforeAll(setUp);
afterAll(tearDown);

describeMarketData();
describeWallets();
