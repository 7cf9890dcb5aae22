import type { ChainConfig } from "./config/config.ts";
import type { Database } from "./database/database.ts";
import type { IndexCache } from "./database/index-cache.ts";
import { createApprovalQueries } from "./domains/approvals/queries/index.ts";
import { createBitcoinQueries } from "./domains/bitcoin/queries.ts";
import { createChainQueries } from "./domains/chains/queries/index.ts";
import { createRollUpQueries } from "./domains/dex/queries/roll-up.ts";
import { createLedgerQueries } from "./domains/ledger/queries/index.ts";
import { createNameQueries, registriesOfChain } from "./domains/names/queries/index.ts";
import { createNftQueries } from "./domains/nft/queries/index.ts";
import { createNftMetadataQueries } from "./domains/nft-metadata/queries/index.ts";
import { createUncachedMetadata } from "./domains/nft-metadata/queries/uncached.ts";
import { createNftSaleQueries } from "./domains/nft-sales/queries.ts";
import { createPoolQueries } from "./domains/pools/queries/index.ts";
import { createPriceQueries } from "./domains/prices/queries/price.ts";
import type { ChainOfCurrency, RemoteClosingPrices } from "./domains/prices/queries/rates.ts";
import { createSafeQueries } from "./domains/safes/queries.ts";
import { createTokenRequests } from "./domains/tokens/jobs/record-token-requests.ts";
import { createTokenQueries } from "./domains/tokens/queries/index.ts";
import { createUntouchedBalances } from "./domains/tokens/queries/untouched-balances.ts";

/** All domains' queries. */
export type Queries = ReturnType<typeof createQueries>;

/** Where chains read currency rates. */
export interface RateSources {
  readonly chainOfCurrency: ChainOfCurrency;
  readonly remoteClosingPrices: RemoteClosingPrices;
}

/** Creates all domains' queries for a database's chains. `database` may run statements on replicas; `primary` does not. */
export function createQueries(
  chains: readonly ChainConfig[],
  { database, primary }: { readonly database: Database; readonly primary: Database },
  { chainOfCurrency, remoteClosingPrices }: RateSources,
  now: () => Date,
  cache: IndexCache,
) {
  const factories = new Map(chains.map(({ id, exchanges }) => [id, exchanges.map(({ factory }) => factory)]));
  const registries = new Map(chains.map((chain) => [chain.id, registriesOfChain(chain)]));
  return {
    ledger: createLedgerQueries(database, cache),
    tokens: createTokenQueries(database, cache),
    tokenRequests: createTokenRequests(primary, now),
    pools: createPoolQueries(database, (chainId) => factories.get(chainId) ?? [], cache),
    prices: createPriceQueries(database, chainOfCurrency, cache, remoteClosingPrices),
    rollUps: createRollUpQueries(database, cache),
    nfts: createNftQueries(database),
    nftMetadata: createNftMetadataQueries(database),
    nftSales: createNftSaleQueries(database, cache.lookups("projection_checkpoints")),
    uncachedMetadata: createUncachedMetadata(chains),
    untouchedBalances: createUntouchedBalances(chains),
    bitcoin: createBitcoinQueries(database),
    approvals: createApprovalQueries(database),
    safes: createSafeQueries(database),
    network: createChainQueries(database),
    names: createNameQueries(database, (chainId) => registries.get(chainId) ?? [], cache.lookups("name_records")),
  };
}
