import { ledgerProjection } from "../../runtime/domains/ledger/projection.ts";
import { addressActivityProjection } from "../../runtime/domains/ledger/projection-activity.ts";
import { tokensProjection } from "../../runtime/domains/tokens/projection.ts";
import type { Projection } from "../../runtime/indexer/projection.ts";

/** What `ashlar index` runs, the ledger's own first. */
export const projections: readonly Projection[] = [ledgerProjection, addressActivityProjection, tokensProjection];
