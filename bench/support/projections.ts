import { ledgerProjection } from "../../runtime/domains/ledger/projection/index.ts";
import type { Projection } from "../../runtime/indexer/projection.ts";
import { projections as otherProjections } from "../../runtime/projections.ts";

/** The projections of `ashlar index`, the ledger first. */
export const projections: readonly Projection[] = [ledgerProjection, ...otherProjections];
