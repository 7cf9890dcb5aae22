import { bytes } from "../../../database/codecs.ts";
import type { IndexedBlock } from "../../../indexer/types.ts";
import type { Chore, ChoreContext } from "../../../jobs/chore.ts";
import { groupBy } from "../../../lib/group-by.ts";
import { type Address, zeroAddress } from "../../../lib/hex.ts";
import { createHolderQueries } from "../holder-queries.ts";
import { standards } from "../standards.ts";
import { bringForward, type Pair } from "./check-tokens.ts";
import { comparePairs } from "./compare.ts";
import { askBalances, indexedHead, writeAsOf, writeBesideAsOf } from "./node-words.ts";
import { createDeferral, type Patience } from "./patience.ts";
import {
  enterQuietCalls,
  markRead,
  markSearched,
  nextUnreadCall,
  pastQuietCalls,
  type QuietCall,
  quietCalls,
  type UnreadCall,
  unsearchedTokens,
} from "./quiet-calls.ts";
import { writeBalancesAt } from "./readings-at.ts";
import { portion, type SettlingSettings } from "./settings.ts";

/** How far back the first look reaches, and each after a reorganisation. */
const firstLook = 200;
/** Quiet calls of one look, and those of the past of a token. */
const callsOfLook = 2_000;
const pastCalls = 2_000;
/** Owners of one token that are compared after a look: those that its newest calls name. */
const ownersOfToken = 4;

/**
 * Follows calls to ERC-20 tokens that moved nothing: the token is compared soon, whom the call named at once, and the holders of a node-sourced token are
 * read as of the call's block.
 */
export const createFollowCalls = (settings: SettlingSettings, patience: Patience): Chore => {
  let seen: IndexedBlock | null = null;
  return {
    name: "follow calls to tokens that moved nothing",
    everyMilliseconds: settings.checkMilliseconds,
    run: async (context) => {
      const { database, chainId, clock } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      const above = Math.max(head.number - firstLook, seen !== null && (await isIndexed(context, seen)) ? seen.number : 0);
      const calls = await quietCalls(database, chainId, above, callsOfLook);
      const tokens = [...new Set(calls.map(({ token }) => token))];
      await bringForward(database, chainId, tokens, clock(), settings.quietMilliseconds / 1000);
      await comparePairs(context, pairsOf(calls), patience);
      const sourced = calls.filter(({ isSourced }) => isSourced);
      const isEntered =
        sourced.length === 0 || (await writeBesideAsOf(context, head, (client) => enter(client, chainId, sourced))) !== null;
      if (isEntered) seen = head;
      return searchPast(context, head);
    },
  };
};

const enter = async (client: Parameters<typeof enterQuietCalls>[0], chainId: number, calls: readonly QuietCall[]): Promise<true> => {
  await enterQuietCalls(client, chainId, calls);
  return true;
};

const isIndexed = async ({ database, chainId }: ChoreContext, { number, hash }: IndexedBlock): Promise<boolean> =>
  (await database.query("SELECT 1 FROM blocks WHERE chain_id = $1 AND number = $2 AND hash = $3", [chainId, number, bytes(hash)])).length >
  0;

/** Owners that calls named, a few a token, tokens with the newest calls first. */
const pairsOf = (calls: readonly QuietCall[]): Pair[] => {
  const byToken = groupBy(
    calls.filter(({ isSourced }) => !isSourced),
    ({ token }) => token,
  );
  const pairs = [...byToken].map(([token, own]) =>
    [...new Set(own.flatMap(({ owners }) => owners))].slice(0, ownersOfToken).map((owner): Pair => ({ token, owner })),
  );
  // Each token's first before any token's second.
  return Array.from({ length: ownersOfToken }, (_, place) => pairs.flatMap((own) => own[place] ?? []))
    .flat()
    .slice(0, portion);
};

/** Enters the quiet calls of one token that became node-sourced after them. */
const searchPast = async (context: ChoreContext, head: IndexedBlock): Promise<boolean> => {
  const [token] = await unsearchedTokens(context.database, context.chainId, 1);
  if (token === undefined) return false;
  const calls = await pastQuietCalls(context.database, context.chainId, token, pastCalls);
  const isDone = await writeBesideAsOf(context, head, async (client) => {
    await enterQuietCalls(client, context.chainId, calls);
    await markSearched(client, context.chainId, token);
    return true;
  });
  return isDone === true;
};

/** Holders that are read as of one call at most, the largest first; the others are read again as of the head (refresh). */
const mostHolders = 20_000;
const holdersOfLook = 450;
/** A node without an archive has the state of about 128 blocks. */
const recentBlocks = 100;

/** A block as of which holders are being read, and who is left. */
interface Reading {
  readonly call: UnreadCall;
  readonly block: IndexedBlock;
  readonly owners: readonly Address[];
  readonly next: number;
}

/** Reads the holders of node-sourced tokens as of the calls that moved nothing, one block of each token in turn, portion by portion. */
export const createReadCalls = (settings: SettlingSettings): Chore => {
  const deferral = createDeferral(settings.deferMilliseconds);
  let reading: Reading | null = null;
  let last: Address = zeroAddress;
  return {
    name: "read holders as of calls that moved nothing",
    everyMilliseconds: settings.settleMilliseconds,
    run: async (context) => {
      const { chainId, clock, database, source } = context;
      const head = await indexedHead(context);
      if (head === null) return false;
      if (reading === null || !(await isIndexed(context, reading.block))) {
        const next = (after: Address) =>
          nextUnreadCall(database, chainId, after, source.capabilities.archiveState, deferral.tokens(clock()));
        const call = (await next(last)) ?? (await next(zeroAddress));
        last = call?.token ?? zeroAddress;
        reading = call === null ? null : await begin(context, call);
        if (reading === null) return false;
      }
      const { call, owners, next } = reading;
      const hasState = source.capabilities.archiveState || head.number - call.block < recentBlocks;
      const some = hasState ? owners.slice(next, next + holdersOfLook) : [];
      const keys = some.map((owner) => ({ owner, token: call.token, standard: standards.erc20, tokenId: null }));
      const balances = await askBalances(context, keys, call.block);
      const read = some.flatMap((owner, position) => {
        const balance = balances[position] ?? null;
        return balance === null ? [] : [{ owner, balance }];
      });
      if (some.length > 0 && read.length === 0) {
        deferral.put(call.token, clock());
        reading = null;
        return false;
      }
      const isLast = !hasState || next + some.length >= owners.length;
      const isDone = await writeAsOf(context, head, async (client) => {
        await writeBalancesAt(client, chainId, call.token, call.block, head.number, read);
        if (isLast) await markRead(client, chainId, call);
        return true;
      });
      if (isDone !== true) return false;
      reading = isLast ? null : { ...reading, next: next + some.length };
      return true;
    },
  };
};

/** Whom to ask for: who held the token after the block, and whom the calls named. */
const begin = async ({ database, chainId }: ChoreContext, call: UnreadCall): Promise<Reading | null> => {
  const [block] = await database.query<IndexedBlock>("SELECT number, hash FROM blocks WHERE chain_id = $1 AND number = $2", [
    chainId,
    call.block,
  ]);
  if (block === undefined) return null;
  const holders = await createHolderQueries(database).holdersAt(chainId, call.token, standards.erc20, call.block, mostHolders, 0);
  const owners = new Set([...call.owners, ...holders.map(({ owner }) => owner)]);
  owners.delete(zeroAddress);
  return { call, block, owners: [...owners], next: 0 };
};
