import { stdout } from "node:process";
import { type ChainConfig, type Config, isEvmChain } from "../config/config.ts";
import { databaseNameOfOnlyChain } from "../config/database-config.ts";
import type { Database } from "../database/database.ts";
import { requestRefresh } from "../domains/nft-metadata/jobs/queue-refreshes.ts";
import { type CollectionStatus, type Reason, readMetadataStatus } from "../domains/nft-metadata/queries/status.ts";
import type { Address } from "../lib/hex.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { CommandError } from "./command-error.ts";
import { requireDatabase } from "./configured-database.ts";
import { chainDatabaseNames, withEachDatabase } from "./open-chain-database.ts";
import { requireChains, resolveChains } from "./resolve-chains.ts";
import { resolveOnlyEvmChain } from "./resolve-only-evm-chain.ts";

/** The max number of collections printed per chain, and of reasons printed per collection. */
const maxCollections = 100;
const maxReasons = 5;

const print = (line: string): void => void stdout.write(`${escapeTerminal(line)}\n`);

/** `ashlar nfts status`: prints how much of each collection's metadata is pending, fetched and rejected, and why. @throws {CommandError} */
export const printNftStatus = (config: Config): Promise<void> =>
  withDatabases(config, chainDatabaseNames(config), async (database, databaseConfig) => {
    for (const chain of (await resolveChains(databaseConfig, { indexing: database })).filter((resolved) => isEvmChain(resolved))) {
      const collections = await readMetadataStatus(database, chain.id);
      for (const line of renderStatus(chain, collections, new Date())) print(line);
    }
  });

/** `ashlar nfts refresh`: queues a collection's or a single token's metadata to be fetched again. @throws {CommandError} */
export const refreshNfts = (config: Config, collection: Address, tokenId: string | null): Promise<void> =>
  withDatabases(config, [databaseNameOfOnlyChain(config)], async (database) => {
    const chain = await resolveOnlyEvmChain(config, database);
    if (chain.nfts.metadata !== "cached")
      throw new CommandError(`Metadata of ${chain.name} is not stored; set nfts.metadata of the chain to cached in ashlar.yaml.`);
    const subject = tokenId === null ? `collection ${collection}` : `token ${tokenId} of ${collection}`;
    if (!(await database.transaction((client) => requestRefresh(client, chain.id, collection, tokenId))))
      throw new CommandError(`No ${subject} in the index of ${chain.name}; check the address, or wait until it is indexed.`);
    print(
      `Queued: the process that indexes ${chain.name} fetches the metadata of ${subject}; if none is running, the next run of ashlar index will.`,
    );
  });

async function withDatabases(
  config: Config,
  names: readonly (string | null)[],
  work: (database: Database, databaseConfig: Config) => Promise<void>,
): Promise<void> {
  requireChains(config);
  requireDatabase(config);
  await withEachDatabase(config, names, ({ indexing }, databaseConfig) => work(indexing, databaseConfig));
}

/** Renders the lines for one chain. */
function renderStatus(chain: Pick<ChainConfig, "name" | "nfts">, collections: readonly CollectionStatus[], now: Date): string[] {
  const sum = (countIn: (status: CollectionStatus) => number): number => collections.reduce((total, status) => total + countIn(status), 0);
  const note =
    chain.nfts.metadata === "cached"
      ? ""
      : " Metadata of this chain is not stored (nfts.metadata: uncached): pending tokens are not fetched.";
  const [pending, fetched, rejected] = [sum((status) => status.pending), sum((status) => status.fetched), sum((status) => status.rejected)];
  const omitted = collections.length - maxCollections;
  return [
    `${chain.name}: ${pending} tokens pending, ${fetched} fetched, ${rejected} rejected.${note}`,
    ...collections.slice(0, maxCollections).flatMap((status) => renderCollection(status, now)),
    ...(omitted > 0 ? [`  and ${omitted} more collections`] : []),
  ];
}

const renderCollection = ({ token, pending, oldest, fetched, rejected, refusals, problems }: CollectionStatus, now: Date): string[] => [
  `  ${token}  ${pending} pending${oldest === null ? "" : `, the oldest for ${renderWait(now.getTime() - oldest.getTime())}`}  ${fetched} fetched  ${rejected} rejected`,
  ...renderReasons(problems, "retried"),
  ...renderReasons(refusals, "rejected"),
];

const renderReasons = (reasons: readonly Reason[], outcome: string): string[] => [
  ...reasons.slice(0, maxReasons).map(({ reason, tokens }) => `    ${tokens} ${outcome}: ${reason}`),
  ...(reasons.length > maxReasons ? [`    and ${reasons.length - maxReasons} more reasons`] : []),
];

const renderWait = (milliseconds: number): string => {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min`;
  return `${Math.floor(seconds / 3_600)} h`;
};
