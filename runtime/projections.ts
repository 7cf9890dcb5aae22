import { approvalsProjection } from "./domains/approvals/projection/index.ts";
import { rollUpTables } from "./domains/dex/jobs/roll-up/store-roll-up.ts";
import { addressActivityProjection } from "./domains/ledger/projection/activity.ts";
import { namesProjection } from "./domains/names/projection.ts";
import { nftProjection } from "./domains/nft/projection.ts";
import { metadataTables } from "./domains/nft-metadata/jobs/block-bound-tables.ts";
import { salesProjection } from "./domains/nft-sales/projection/index.ts";
import { poolsProjection } from "./domains/pools/projection/index.ts";
import { feedsProjection } from "./domains/prices/projection.ts";
import { safesProjection } from "./domains/safes/projection.ts";
import { tokensProjection } from "./domains/tokens/projection/index.ts";
import type { Projection } from "./indexer/projection.ts";
import type { BlockBoundTable } from "./indexer/reorg/roll-back.ts";

/** The projections of every chain, except the ledger. */
export const projections: readonly Projection[] = [
  addressActivityProjection,
  tokensProjection,
  namesProjection,
  poolsProjection,
  feedsProjection,
  approvalsProjection,
  nftProjection,
  salesProjection,
  safesProjection,
];

/** Tables that are rolled back with the projections: page anchors, and values that jobs read or computed. */
export const blockBoundTables: readonly BlockBoundTable[] = [
  "page_anchors",
  "token_metadata",
  "price_hours",
  "price_days",
  "priced_assets",
  "price_progress",
  ...rollUpTables,
]
  .map((name): BlockBoundTable => ({ name, blockColumn: "block_number" }))
  .concat(metadataTables);
