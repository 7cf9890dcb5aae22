import type { DecodedBlock, EventPlace } from "../../../events/decoded-block.ts";
import {
  pairBurn,
  pairCreated,
  pairMint,
  pairSwap,
  pairSync,
  poolBurn,
  poolCollect,
  poolCollectProtocol,
  poolCreated,
  poolFlash,
  poolInitialize,
  poolMint,
  poolSwap,
  poolSwapWithFees,
} from "../../../events/pools.ts";
import { transfersByStandard } from "../../../events/transfers.ts";
import { defineProjection, type Row } from "../../../indexer/projection.ts";
import { createKeySet, type State } from "../../../indexer/state/state.ts";
import { groupBy } from "../../../lib/group-by.ts";
import type { Address } from "../../../lib/hex.ts";
import { secondsOfDay } from "../../../lib/time.ts";
import { type Action, applyEvent, changesSupply, isOfPool } from "./events.ts";
import { createExchangeSums } from "./exchange-sums.ts";
import { createFoldedPools, exchangeOf, type FoldedPool, factoryOf, type PoolCreated } from "./folded-pools.ts";
import { actCodes, poolLoads, poolTables } from "./tables.ts";

/** The name of the projection, by which its checkpoint is found. */
export const poolsId = "pools";

/**
 * What pools of all factories hold, and what is done with them. A contract that no factory announced before, or in the same transaction, is no pool,
 * whatever it says.
 * The reserves of a constant-product pool are those that it said last. A concentrated pool says none: its reserves are what its events say came in
 * (swaps, deposits, fees of flash loans) less what went out (swaps, collections of positions and of the exchange), so its tokens' balances of it but for
 * what was given without an event; null for ever once less than nothing would be left. They count in the sums of no exchange.
 */
export const poolsProjection = defineProjection({
  id: poolsId,
  version: 3,
  events: [
    ...transfersByStandard,
    pairCreated,
    pairSync,
    pairSwap,
    pairMint,
    pairBurn,
    poolCreated,
    poolInitialize,
    poolSwap,
    poolSwapWithFees,
    poolMint,
    poolBurn,
    poolCollect,
    poolCollectProtocol,
    poolFlash,
  ],
  tables: poolTables,
  loads: poolLoads,
  needs: (blocks) => {
    const sets = {
      announcements: createKeySet(),
      announcedBy: createKeySet(),
      states: createKeySet(),
      exchanges: createKeySet(),
      exchangeTokens: createKeySet(),
      exchangesOfPools: createKeySet(),
      exchangeTokensOfPools: createKeySet(),
    };
    const addPool = (pool: Address) => {
      sets.announcements.add(pool);
      sets.states.add(pool);
    };
    for (const event of blocks.flatMap(({ events }) => events)) {
      if (event.kind === "poolCreated") {
        addPool(event.pool);
        sets.announcedBy.add(event.address, event.pool);
        sets.exchanges.add(event.address);
        for (const token of [event.token0, event.token1]) sets.exchangeTokens.add(event.address, token);
      } else if (isOfPool(event)) {
        addPool(event.address);
        sets.exchangesOfPools.add(event.address);
        for (const side of [0, 1]) sets.exchangeTokensOfPools.add(event.address, side);
      } else if (changesSupply(event)) addPool(event.address);
    }
    return Object.fromEntries(Object.entries(sets).map(([name, { keys }]) => [name, keys]));
  },
  fold: (blocks, { state }) => foldPools(blocks, state),
});

const foldPools = (blocks: readonly DecodedBlock[], state: State): Record<string, Row[]> => {
  const folded = { books: createFoldedPools(state), sums: createExchangeSums(state), actions: createActions() };
  const { books, sums, actions } = folded;
  for (const decoded of blocks) {
    const announcements = announcementsOf(decoded);
    for (const event of decoded.events) {
      if (event.kind === "poolCreated") books.announce(event, decoded.block.number);
      else if (isOfPool(event) || changesSupply(event)) foldEvent(folded, decoded, announcements, event);
    }
    books.endBlock(decoded.block.number);
    sums.endBlock(decoded.block.number);
  }
  return {
    pools: books.rows.pools,
    shared_pools: books.rows.shared,
    pool_states: books.rows.states,
    ...actions.rows,
    exchange_sums: sums.rows.exchanges,
    exchange_tokens: sums.rows.listed,
    exchange_token_sums: sums.rows.tokens,
  };
};

const placeOf = ({ transactionIndex, address }: Pick<EventPlace, "transactionIndex" | "address">): string =>
  `${transactionIndex}${address}`;

/** A pool may speak while it is made, before its factory can name it: what is announced in a transaction is known from its beginning. */
const announcementsOf = ({ events }: DecodedBlock): ReadonlyMap<string, readonly PoolCreated[]> =>
  groupBy(
    events.filter((event) => event.kind === "poolCreated"),
    ({ transactionIndex, pool }) => placeOf({ transactionIndex, address: pool }),
  );

interface Folded {
  readonly books: ReturnType<typeof createFoldedPools>;
  readonly sums: ReturnType<typeof createExchangeSums>;
  readonly actions: ReturnType<typeof createActions>;
}

/** An event of a contract that may be a pool. */
const foldEvent = (
  { books, sums, actions }: Folded,
  { block }: DecodedBlock,
  announcements: ReturnType<typeof announcementsOf>,
  event: Parameters<typeof applyEvent>[1],
): void => {
  if (announcements.size > 0 && !books.find(event.address)?.hasEmitted) {
    for (const created of announcements.get(placeOf(event)) ?? []) books.announce(created, block.number);
  }
  const book = books.find(event.address);
  if (book === null) return;
  const before = book.reserves;
  const action = applyEvent(book, event);
  books.touch(book);
  const home = exchangeOf(book);
  if (home !== null) {
    sums.changeReserves(home, before, book.reserves);
    if (action?.act === actCodes.swap) sums.swap(home, action.amounts, event.transactionIndex);
    else if (action !== null) sums.act(home);
  }
  if (action === null) return;
  if (action.act === actCodes.swap) actions.noteDay(book, block);
  const place = { block_number: block.number, log_index: event.logIndex, transaction_index: event.transactionIndex };
  actions.write(book, action, place, block.transactions[event.transactionIndex]?.from ?? null);
};

interface Place {
  readonly block_number: number;
  readonly log_index: number;
  readonly transaction_index: number;
}

/** The rows of what was done, and of the accounts that had part in it. */
const createActions = () => {
  const rows = { pool_actions: [] as Row[], pool_action_accounts: [] as Row[], pool_swap_days: [] as Row[] };
  return {
    rows,
    /** A pool was swapped in: kept once a day. */
    noteDay: (book: FoldedPool, block: DecodedBlock["block"]): void => {
      const day = Math.floor(block.timestamp / secondsOfDay);
      if (book.lastSwapDay === day) return;
      book.lastSwapDay = day;
      rows.pool_swap_days.push({ exchange: factoryOf(book) ?? book.pool, day, pool: book.pool, block_number: block.number });
    },
    write: (book: FoldedPool, { act, sender, to, amounts, liquidity }: Action, place: Place, origin: Address | null): void => {
      const factory = factoryOf(book);
      book.actions += 1;
      rows.pool_actions.push({
        ...place,
        pool: book.pool,
        factory,
        act,
        sender,
        to_address: to,
        amount0_in: amounts.in[0],
        amount0_out: amounts.out[0],
        amount1_in: amounts.in[1],
        amount1_out: amounts.out[1],
        liquidity,
      });
      const { block_number, log_index } = place;
      for (const account of new Set([origin, sender, to])) {
        if (account !== null) rows.pool_action_accounts.push({ account, exchange: factory ?? book.pool, block_number, log_index });
      }
    },
  };
};
