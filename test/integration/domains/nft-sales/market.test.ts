import { afterAll, beforeAll } from "vitest";
import { describeCollectionMarket } from "./market/collection-market.ts";
import { describeRecordedSales } from "./market/recorded-sales.ts";
import { describeResponses } from "./market/responses.ts";
import { setUp, tearDown } from "./market/setup.ts";

// All suites share one chain and one index, because building them takes most of the time.
beforeAll(setUp, 120_000);
afterAll(tearDown);

describeRecordedSales();
describeCollectionMarket();
describeResponses();
