import type { Migration } from "./database/migrate.ts";
import * as approvals from "./domains/approvals/migrations/0019-approvals.ts";
import * as exchangeRollUps from "./domains/dex/migrations/0014-exchange-roll-ups.ts";
import * as ledger from "./domains/ledger/migrations/0001-ledger.ts";
import * as addressActivity from "./domains/ledger/migrations/0006-address-activity.ts";
import * as nativeAccounting from "./domains/ledger/migrations/0008-native-accounting.ts";
import * as wideGasLimits from "./domains/ledger/migrations/0010-wide-gas-limits.ts";
import * as unknownAccountBalances from "./domains/ledger/migrations/0025-unknown-account-balances.ts";
import * as names from "./domains/names/migrations/0005-names.ts";
import * as collections from "./domains/nft/migrations/0016-collections.ts";
import * as nftMetadata from "./domains/nft-metadata/migrations/0017-nft-metadata.ts";
import * as nftSales from "./domains/nft-sales/migrations/0018-nft-sales.ts";
import * as pools from "./domains/pools/migrations/0012-pools.ts";
import * as prices from "./domains/prices/migrations/0013-prices.ts";
import * as tokens from "./domains/tokens/migrations/0002-tokens.ts";
import * as exactBalances from "./domains/tokens/migrations/0007-exact-balances.ts";
import * as longLists from "./domains/tokens/migrations/0009-long-lists.ts";
import * as pastRankings from "./domains/tokens/migrations/0011-past-rankings.ts";
import * as tokenHistories from "./domains/tokens/migrations/0015-token-histories.ts";
import * as supplies from "./domains/tokens/migrations/0020-supplies.ts";
import * as checkSchedule from "./domains/tokens/migrations/0021-check-schedule.ts";
import * as keys from "./http/migrations/0004-keys.ts";
import * as indexer from "./indexer/migrations/0003-indexer.ts";
import * as contractStandards from "./indexer/migrations/0022-contract-standards.ts";

/** Every migration of every room, in the order of its number. */
export const migrations: readonly Migration[] = [
  { name: "0001-ledger", up: ledger.up, down: ledger.down },
  { name: "0002-tokens", up: tokens.up, down: tokens.down },
  { name: "0003-indexer", up: indexer.up, down: indexer.down },
  { name: "0004-keys", up: keys.up, down: keys.down },
  { name: "0005-names", up: names.up, down: names.down },
  { name: "0006-address-activity", up: addressActivity.up, down: addressActivity.down },
  { name: "0007-exact-balances", up: exactBalances.up, down: exactBalances.down },
  { name: "0008-native-accounting", up: nativeAccounting.up, down: nativeAccounting.down },
  { name: "0009-long-lists", up: longLists.up, down: longLists.down },
  { name: "0010-wide-gas-limits", up: wideGasLimits.up, down: wideGasLimits.down },
  { name: "0011-past-rankings", up: pastRankings.up, down: pastRankings.down },
  { name: "0012-pools", up: pools.up, down: pools.down },
  { name: "0013-prices", up: prices.up, down: prices.down },
  { name: "0014-exchange-roll-ups", up: exchangeRollUps.up, down: exchangeRollUps.down },
  { name: "0015-token-histories", up: tokenHistories.up, down: tokenHistories.down },
  { name: "0016-collections", up: collections.up, down: collections.down },
  { name: "0017-nft-metadata", up: nftMetadata.up, down: nftMetadata.down },
  { name: "0018-nft-sales", up: nftSales.up, down: nftSales.down },
  { name: "0019-approvals", up: approvals.up, down: approvals.down },
  { name: "0020-supplies", up: supplies.up, down: supplies.down },
  { name: "0021-check-schedule", up: checkSchedule.up, down: checkSchedule.down },
  { name: "0022-contract-standards", up: contractStandards.up, down: contractStandards.down },
  { name: "0025-unknown-account-balances", up: unknownAccountBalances.up, down: unknownAccountBalances.down },
];
