import type { DecodedBlock, DecodedEvent, Erc20Transfer, PoolEvent } from "../../events/decoded-block.ts";
import {
  pairBurn,
  pairCreated,
  pairMint,
  pairSwap,
  pairSync,
  poolBurn,
  poolCreated,
  poolInitialize,
  poolMint,
  poolSwap,
} from "../../events/pools.ts";
import { erc20Transfer } from "../../events/transfers.ts";
import { defineProjection, type Row } from "../../indexer/projection.ts";
import { createKeySet, type State } from "../../indexer/state.ts";
import { type Address, zeroAddress } from "../../lib/hex.ts";
import { acts } from "./acts.ts";
import { type Book, createBooks, factoryOf, homeOf } from "./projection-books.ts";
import { createExchangeSums } from "./projection-sums.ts";
import { poolLoads, poolTables } from "./projection-tables.ts";

type Pooled = Exclude<PoolEvent, { kind: "poolCreated" }>;
type Liquidity = Extract<PoolEvent, { kind: "poolDeposit" | "poolWithdrawal" }>;

/** What pools of all factories hold, and what is done with them. A contract that no factory announced before is no pool, whatever it says. */
export const poolsProjection = defineProjection({
  id: "pools",
  version: 1,
  events: [erc20Transfer, pairCreated, pairSync, pairSwap, pairMint, pairBurn, poolCreated, poolInitialize, poolSwap, poolMint, poolBurn],
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

const isOfPool = (event: DecodedEvent): event is Pooled => event.kind.startsWith("pool") && event.kind !== "poolCreated";

/**
 * A pool's own token is minted from the zero address and burnt by the pool itself. What a holder sends to the zero address is lost and still counts:
 * the contract's supply stays.
 */
const changesSupply = (event: DecodedEvent): event is Erc20Transfer =>
  event.kind === "erc20Transfer" && (event.from === zeroAddress || (event.to === zeroAddress && event.from === event.address));

const foldPools = (blocks: readonly DecodedBlock[], state: State): Record<string, Row[]> => {
  const books = createBooks(state);
  const sums = createExchangeSums(state);
  const actions: Row[] = [];
  const accounts: Row[] = [];

  const write = (
    book: Book,
    row: Row & { readonly block_number: number; readonly log_index: number },
    involved: readonly (Address | null)[],
  ) => {
    book.actions += 1;
    actions.push({ pool: book.pool, factory: factoryOf(book), ...row });
    for (const account of new Set(involved)) {
      if (account === null) continue;
      accounts.push({ account, exchange: factoryOf(book) ?? book.pool, block_number: row.block_number, log_index: row.log_index });
    }
  };

  for (const { block, events } of blocks) {
    for (const event of events) {
      if (event.kind === "poolCreated") {
        books.announce(event, block.number);
        continue;
      }
      const book = isOfPool(event) || changesSupply(event) ? books.find(event.address) : null;
      if (book === null) continue;
      books.touch(book);
      const home = homeOf(book);
      const place = { block_number: block.number, log_index: event.logIndex, transaction_index: event.transactionIndex };
      const origin = block.transactions[event.transactionIndex]?.from ?? null;
      switch (event.kind) {
        case "erc20Transfer":
          moveSupply(book, event);
          break;
        case "poolReserves": {
          const [before0, before1] = book.reserves ?? [0n, 0n];
          book.reserves = [event.reserve0, event.reserve1];
          if (home !== null) sums.changeReserves(home, [event.reserve0 - before0, event.reserve1 - before1]);
          break;
        }
        case "poolPrice":
          book.sqrtPriceX96 = event.sqrtPriceX96;
          book.tick = event.tick;
          book.liquidity ??= 0n;
          break;
        case "poolSwap": {
          const amounts = { in: [event.amount0In, event.amount1In], out: [event.amount0Out, event.amount1Out] } as const;
          if (event.price !== null) ({ sqrtPriceX96: book.sqrtPriceX96, liquidity: book.liquidity, tick: book.tick } = event.price);
          book.swaps += 1;
          for (const side of [0, 1] as const) {
            book.in[side] += amounts.in[side];
            book.out[side] += amounts.out[side];
          }
          if (home !== null) sums.swap(home, amounts, event.transactionIndex);
          const row = { ...place, act: acts.swap, sender: event.sender, to_address: event.to, liquidity: null };
          write(book, { ...row, ...columnsOf(amounts.in, amounts.out) }, [origin, event.sender, event.to]);
          break;
        }
        case "poolDeposit":
        case "poolWithdrawal": {
          const change = liquidityOf(book, event);
          // A withdrawal of nothing collects what was earned.
          if (event.position?.liquidity === 0n) break;
          if (home !== null) sums.act(home);
          const both = [event.amount0, event.amount1] as const;
          const isDeposit = event.kind === "poolDeposit";
          const to = event.to ?? change.to;
          write(
            book,
            {
              ...place,
              act: isDeposit ? acts.add : acts.remove,
              sender: event.sender,
              to_address: to,
              liquidity: change.amount,
              ...(isDeposit ? columnsOf(both, [0n, 0n]) : columnsOf([0n, 0n], both)),
            },
            [origin, event.sender, to],
          );
          break;
        }
      }
    }
    books.endBlock(block.number);
    sums.endBlock(block.number);
  }
  return {
    pools: books.rows.pools,
    shared_pools: books.rows.shared,
    pool_states: books.rows.states,
    pool_actions: actions,
    pool_action_accounts: accounts,
    exchange_sums: sums.rows.exchanges,
    exchange_token_sums: sums.rows.tokens,
  };
};

const columnsOf = (ins: readonly [bigint, bigint], outs: readonly [bigint, bigint]) => ({
  amount0_in: ins[0],
  amount0_out: outs[0],
  amount1_in: ins[1],
  amount1_out: outs[1],
});

/** Mints and burns of the pool's token, which come before the event that they belong to: of several mints the last is the provider's. */
const moveSupply = (book: Book, { from, to, amount, transactionIndex }: Erc20Transfer): void => {
  if (book.pending?.transactionIndex !== transactionIndex) book.pending = { transactionIndex, minted: null, burnt: null };
  const isMint = from === zeroAddress;
  if (isMint) book.pending.minted = { to, amount };
  else book.pending.burnt = amount;
  const supply = book.supply === null ? null : isMint ? book.supply + amount : book.supply - amount;
  book.supply = supply !== null && supply < 0n ? null : supply;
};

/** How much liquidity an event is about and whose it is, with the book brought up to it. */
const liquidityOf = (book: Book, event: Liquidity): { readonly amount: bigint | null; readonly to: Address | null } => {
  const { position, transactionIndex } = event;
  if (position !== null) {
    const change = event.kind === "poolDeposit" ? position.liquidity : -position.liquidity;
    // Liquidity is in use where its range has the current tick in it.
    const inUse = book.tick !== null && position.tickLower <= book.tick && book.tick < position.tickUpper;
    const liquidity = book.liquidity === null ? null : book.liquidity + change;
    if (inUse) book.liquidity = liquidity !== null && liquidity < 0n ? null : liquidity;
    return { amount: position.liquidity, to: event.to };
  }
  const pending = book.pending?.transactionIndex === transactionIndex ? book.pending : null;
  book.pending = null;
  if (event.kind === "poolDeposit") return { amount: pending?.minted?.amount ?? null, to: pending?.minted?.to ?? null };
  return { amount: pending?.burnt ?? null, to: event.to };
};
