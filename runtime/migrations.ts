import * as chainRestores from "./backup/migrations/0053-chain-restores.ts";
import * as consoleSessions from "./console/migrations/0043-console.ts";
import type { Migration } from "./database/migration.ts";
import * as approvals from "./domains/approvals/migrations/0019-approvals.ts";
import * as bitcoin from "./domains/bitcoin/migrations/0031-bitcoin.ts";
import * as community from "./domains/community/migrations/0026-community.ts";
import * as apiSchema from "./domains/community/migrations/0027-api-schema.ts";
import * as apiPools from "./domains/community/migrations/0029-api-pools-and-supplies.ts";
import * as readArguments from "./domains/community/migrations/0030-read-arguments.ts";
import * as apiTransferTransactions from "./domains/community/migrations/0033-api-transfer-transactions.ts";
import * as exchangeRollUps from "./domains/dex/migrations/0014-exchange-roll-ups.ts";
import * as ledger from "./domains/ledger/migrations/0001-ledger.ts";
import * as addressActivity from "./domains/ledger/migrations/0006-address-activity.ts";
import * as nativeAccounting from "./domains/ledger/migrations/0008-native-accounting.ts";
import * as wideGasLimits from "./domains/ledger/migrations/0010-wide-gas-limits.ts";
import * as unknownAccountBalances from "./domains/ledger/migrations/0025-unknown-account-balances.ts";
import * as names from "./domains/names/migrations/0005-names.ts";
import * as namedAddresses from "./domains/names/migrations/0035-named-addresses.ts";
import * as collections from "./domains/nft/migrations/0016-collections.ts";
import * as nftMetadata from "./domains/nft-metadata/migrations/0017-nft-metadata.ts";
import * as nftSales from "./domains/nft-sales/migrations/0018-nft-sales.ts";
import * as pools from "./domains/pools/migrations/0012-pools.ts";
import * as prices from "./domains/prices/migrations/0013-prices.ts";
import * as priceNotifications from "./domains/prices/migrations/0038-price-notifications.ts";
import * as safes from "./domains/safes/migrations/0028-safes.ts";
import * as tokens from "./domains/tokens/migrations/0002-tokens.ts";
import * as exactBalances from "./domains/tokens/migrations/0007-exact-balances.ts";
import * as longLists from "./domains/tokens/migrations/0009-long-lists.ts";
import * as pastRankings from "./domains/tokens/migrations/0011-past-rankings.ts";
import * as tokenHistories from "./domains/tokens/migrations/0015-token-histories.ts";
import * as supplies from "./domains/tokens/migrations/0020-supplies.ts";
import * as checkSchedule from "./domains/tokens/migrations/0021-check-schedule.ts";
import * as keys from "./http/migrations/0004-keys.ts";
import * as keyLimits from "./http/migrations/0036-key-limits.ts";
import * as keyQuotas from "./http/migrations/0041-key-quotas.ts";
import * as keyRequests from "./http/migrations/0044-key-requests.ts";
import * as indexer from "./indexer/migrations/0003-indexer.ts";
import * as contractStandards from "./indexer/migrations/0022-contract-standards.ts";
import * as projectionFailures from "./indexer/migrations/0032-projection-failures.ts";
import * as indexNotifications from "./indexer/migrations/0034-index-notifications.ts";
import * as contentVersions from "./indexer/migrations/0039-content-versions.ts";
import * as contentTriggers from "./indexer/migrations/0040-content-triggers.ts";
import * as indexerHeartbeats from "./indexer/migrations/0042-indexer-heartbeats.ts";
import * as operatorActions from "./operator/migrations/0045-operator-actions.ts";
import * as chainRemovals from "./operator/migrations/0046-chain-removals.ts";
import * as recordedAudits from "./operator/migrations/0047-recorded-audits.ts";

/** All migrations, in numeric order. */
export const migrations: readonly Migration[] = [
  { name: "0001-ledger", ...ledger },
  { name: "0002-tokens", ...tokens },
  { name: "0003-indexer", ...indexer },
  { name: "0004-keys", ...keys },
  { name: "0005-names", ...names },
  { name: "0006-address-activity", ...addressActivity },
  { name: "0007-exact-balances", ...exactBalances },
  { name: "0008-native-accounting", ...nativeAccounting },
  { name: "0009-long-lists", ...longLists },
  { name: "0010-wide-gas-limits", ...wideGasLimits },
  { name: "0011-past-rankings", ...pastRankings },
  { name: "0012-pools", ...pools },
  { name: "0013-prices", ...prices },
  { name: "0014-exchange-roll-ups", ...exchangeRollUps },
  { name: "0015-token-histories", ...tokenHistories },
  { name: "0016-collections", ...collections },
  { name: "0017-nft-metadata", ...nftMetadata },
  { name: "0018-nft-sales", ...nftSales },
  { name: "0019-approvals", ...approvals },
  { name: "0020-supplies", ...supplies },
  { name: "0021-check-schedule", ...checkSchedule },
  { name: "0022-contract-standards", ...contractStandards },
  { name: "0025-unknown-account-balances", ...unknownAccountBalances },
  { name: "0026-community", ...community },
  { name: "0027-api-schema", ...apiSchema },
  { name: "0028-safes", ...safes },
  { name: "0029-api-pools-and-supplies", ...apiPools },
  { name: "0030-read-arguments", ...readArguments },
  { name: "0031-bitcoin", ...bitcoin },
  { name: "0032-projection-failures", ...projectionFailures },
  { name: "0033-api-transfer-transactions", ...apiTransferTransactions },
  { name: "0034-index-notifications", ...indexNotifications },
  { name: "0035-named-addresses", ...namedAddresses },
  { name: "0036-key-limits", ...keyLimits },
  { name: "0038-price-notifications", ...priceNotifications },
  { name: "0039-content-versions", ...contentVersions },
  { name: "0040-content-triggers", ...contentTriggers },
  { name: "0041-key-quotas", ...keyQuotas },
  { name: "0042-indexer-heartbeats", ...indexerHeartbeats },
  { name: "0043-console", ...consoleSessions },
  { name: "0044-key-requests", ...keyRequests },
  { name: "0045-operator-actions", ...operatorActions },
  { name: "0046-chain-removals", ...chainRemovals },
  { name: "0047-recorded-audits", ...recordedAudits },
  { name: "0053-chain-restores", ...chainRestores },
];
