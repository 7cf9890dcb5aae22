import type { DecodedBlock, EventPosition } from "../../../events/decoded-block.ts";
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
import { tokenTransferEvents } from "../../../events/transfers.ts";
import { defineProjection, type Row } from "../../../indexer/projection.ts";
import { createKeySet, type State } from "../../../indexer/state/state.ts";
import { groupBy } from "../../../lib/group-by.ts";
import type { Address } from "../../../lib/hex.ts";
import { secondsPerDay } from "../../../lib/time.ts";
import { type Action, applyEvent, changesSupply, isPoolEvent } from "./apply-event.ts";
import { createExchangeSums } from "./exchange-sums.ts";
import { createFoldedPools, exchangeOf, type FoldedPool, factoryOf, type PoolCreated } from "./folded-pools.ts";
import { actionCodes, poolLoads, poolTables } from "./tables.ts";

/** The id of the projection. */
export const poolsProjectionId = "pools";

/**
 * The states of all factories' pools, and the actions on them. A contract is a pool only if a factory announced it before its first event or in the
 * same transaction.
 * A constant-product pool's reserves are the last ones that it emitted. A concentrated pool emits none: its reserves are its events' amounts in (swaps,
 * deposits, flash loan fees) minus their amounts out (swaps, collections by positions and by the protocol). They equal its token balances
 * except for transfers without a pool event, and are permanently null once they would be negative. Concentrated pools are not included in the
 * sums of any exchange.
 */
export const poolsProjection = defineProjection({
  id: poolsProjectionId,
  version: 3,
  events: [
    ...tokenTransferEvents,
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
  keysToLoad: (blocks) => {
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
      } else if (isPoolEvent(event)) {
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
  const folded = { pools: createFoldedPools(state), sums: createExchangeSums(state), actions: createActions() };
  const { pools, sums, actions } = folded;
  for (const decoded of blocks) {
    const announcements = announcementsOf(decoded);
    for (const event of decoded.events) {
      if (event.kind === "poolCreated") pools.announce(event, decoded.block.number);
      else if (isPoolEvent(event) || changesSupply(event)) foldEvent(folded, decoded, announcements, event);
    }
    pools.endBlock(decoded.block.number);
    sums.endBlock(decoded.block.number);
  }
  return {
    pools: pools.rows.pools,
    shared_pools: pools.rows.shared,
    pool_states: pools.rows.states,
    ...actions.rows,
    exchange_sums: sums.rows.exchanges,
    exchange_tokens: sums.rows.listed,
    exchange_token_sums: sums.rows.tokens,
  };
};

const transactionKey = ({ transactionIndex, address }: Pick<EventPosition, "transactionIndex" | "address">): string =>
  `${transactionIndex}${address}`;

/** A pool may emit events in its constructor, before its factory announces it: announcements apply from the start of their transaction. */
const announcementsOf = ({ events }: DecodedBlock): ReadonlyMap<string, readonly PoolCreated[]> =>
  groupBy(
    events.filter((event) => event.kind === "poolCreated"),
    ({ transactionIndex, pool }) => transactionKey({ transactionIndex, address: pool }),
  );

interface Folded {
  readonly pools: ReturnType<typeof createFoldedPools>;
  readonly sums: ReturnType<typeof createExchangeSums>;
  readonly actions: ReturnType<typeof createActions>;
}

/** Folds an event from a contract that may be a pool. */
const foldEvent = (
  { pools, sums, actions }: Folded,
  { block }: DecodedBlock,
  announcements: ReturnType<typeof announcementsOf>,
  event: Parameters<typeof applyEvent>[1],
): void => {
  if (announcements.size > 0 && !pools.find(event.address)?.hasEmitted) {
    for (const created of announcements.get(transactionKey(event)) ?? []) pools.announce(created, block.number);
  }
  const pool = pools.find(event.address);
  if (pool === null) return;
  const before = pool.reserves;
  const action = applyEvent(pool, event);
  pools.touch(pool);
  const exchange = exchangeOf(pool);
  if (exchange !== null) {
    sums.changeReserves(exchange, before, pool.reserves);
    if (action?.code === actionCodes.swap) sums.swap(exchange, action.amounts, event.transactionIndex);
    else if (action !== null) sums.countAction(exchange);
  }
  if (action === null) return;
  if (action.code === actionCodes.swap) actions.recordSwapDay(pool, block);
  const position = { block_number: block.number, log_index: event.logIndex, transaction_index: event.transactionIndex };
  actions.write(pool, action, position, block.transactions[event.transactionIndex]?.from ?? null);
};

interface ActionPosition {
  readonly block_number: number;
  readonly log_index: number;
  readonly transaction_index: number;
}

/** The rows for actions, and for the accounts that took part in them. */
const createActions = () => {
  const rows = { pool_actions: [] as Row[], pool_action_accounts: [] as Row[], pool_swap_days: [] as Row[] };
  return {
    rows,
    /** Records a pool's first swap on a day. */
    recordSwapDay: (pool: FoldedPool, block: DecodedBlock["block"]): void => {
      const day = Math.floor(block.timestamp / secondsPerDay);
      if (pool.lastSwapDay === day) return;
      pool.lastSwapDay = day;
      rows.pool_swap_days.push({ exchange: factoryOf(pool) ?? pool.address, day, pool: pool.address, block_number: block.number });
    },
    write: (pool: FoldedPool, { code, sender, to, amounts, liquidity }: Action, position: ActionPosition, origin: Address | null): void => {
      const factory = factoryOf(pool);
      pool.actionCount += 1;
      rows.pool_actions.push({
        ...position,
        pool: pool.address,
        factory,
        act: code,
        sender,
        to_address: to,
        amount0_in: amounts.in[0],
        amount0_out: amounts.out[0],
        amount1_in: amounts.in[1],
        amount1_out: amounts.out[1],
        liquidity,
      });
      const { block_number, log_index } = position;
      for (const account of new Set([origin, sender, to])) {
        if (account !== null) rows.pool_action_accounts.push({ account, exchange: factory ?? pool.address, block_number, log_index });
      }
    },
  };
};
