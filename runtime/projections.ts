import { addressActivityProjection } from "./domains/ledger/projection-activity.ts";
import { namesProjection } from "./domains/names/projection.ts";
import { poolsProjection } from "./domains/pools/projection.ts";
import { tokensProjection } from "./domains/tokens/projection.ts";
import type { Projection } from "./indexer/projection.ts";

/** What every chain's index is built by, beside the ledger's own projection. */
export const projections: readonly Projection[] = [addressActivityProjection, tokensProjection, namesProjection, poolsProjection];
