import type { DecodedBlock } from "../../../events/decoded-block.ts";
import { punkMovements } from "../../../events/punks.ts";
import {
  consecutiveMint,
  erc1155TransferBatch,
  erc1155TransferSingle,
  transfersByStandard,
  wrappedDeposit,
  wrappedWithdrawal,
} from "../../../events/transfers.ts";
import { type BaseRead, type ChainFacts, defineProjection, type FoldInput, type Row } from "../../../indexer/projection.ts";
import { createKeySet, type State } from "../../../indexer/state/state.ts";
import { type Address, nativeTokenAddress, zeroAddress } from "../../../lib/hex.ts";
import { createOrdinals } from "../../ledger/projection/index.ts";
import { createBalanceSheet, type Opening } from "./balances.ts";
import { createTokenCatalog } from "./catalog.ts";
import { type TokenMovement, tokenMovements } from "./movements.ts";
import { type BalanceKey, baseReadOf, decodeBaseBalance } from "./reads-base.ts";
import { standards } from "./standards.ts";
import { tokenTables } from "./tables.ts";
import { createTotals } from "./totals.ts";

/**
 * Who moved which token, and who has how much. A zero-value transfer is one too. A collection's row in `balances` is how many are held:
 * tokens of an ERC-721 collection, units of all ids of an ERC-1155 one. A balance that events would take below zero or above a word
 * is not known from then on: its token's events do not tell the truth. While what was before the index is not known, what moved since is kept. Of a token
 * that is known not to follow its events, a transfer only says who was touched. Ids that were minted in ranges (EIP-2309) are each a
 * movement. Punks move as tokens of an ERC-721 collection do; the coin-like Transfers that such a
 * contract emits as well are an ERC-20 token's, as its `balanceOf` is.
 */
export const tokensProjection = defineProjection({
  id: "tokens",
  version: 4,
  events: [
    ...transfersByStandard,
    consecutiveMint,
    erc1155TransferSingle,
    erc1155TransferBatch,
    wrappedDeposit,
    wrappedWithdrawal,
    ...punkMovements,
  ],
  tables: tokenTables,
  loads: {
    balances: {
      table: "balances",
      key: { owner: "bytea", token: "bytea", standard: "int2" },
      values: ["balance", "since_block", "net_change"],
    },
    nftBalances: {
      table: "nft_balances",
      key: { owner: "bytea", token: "bytea", token_id: "numeric", standard: "int2" },
      values: ["balance", "since_block", "net_change"],
    },
    totals: {
      table: "holder_counts",
      key: { token: "bytea", standard: "int2" },
      values: ["holders"],
      newestBy: "block_number",
    },
    supplies: {
      table: "token_supplies",
      key: { token: "bytea", standard: "int2" },
      values: ["supply"],
      newestBy: "block_number",
    },
    nodeSourced: { table: "node_sourced_tokens", key: { token: "bytea", standard: "int2" }, values: [] },
    standards: { table: "token_standards", key: { address: "bytea", standard: "int2" }, values: [] },
    metadata: { table: "token_metadata", key: { address: "bytea" }, values: [] },
    ordinals: { table: "transfer_transactions", key: { address: "bytea" }, values: ["ordinal"], newestBy: "ordinal" },
  },
  needs: (blocks, chain) => {
    const sets = {
      balances: createKeySet(),
      nftBalances: createKeySet(),
      totals: createKeySet(),
      supplies: createKeySet(),
      nodeSourced: createKeySet(),
      standards: createKeySet(),
      metadata: createKeySet(),
      ordinals: createKeySet(),
    };
    for (const { key } of blocks.flatMap(reportedBalances)) sets.balances.add(key.owner, key.token, key.standard);
    let seen: TokenMovement | null = null;
    const owners = new Set<Address>();
    for (const movement of blocks.flatMap((block) => tokenMovements(block, chain))) {
      const { token, standard } = movement;
      // Movements of one token come in rows: an owner is asked for once a row, and the token's own keys too.
      const isOther = seen?.token !== token || seen.standard !== standard;
      if (isOther) owners.clear();
      for (const { owner, tokenId } of balanceKeysOf(movement, chain)) {
        if (tokenId !== null) sets.nftBalances.add(owner, token, tokenId, standard);
        else if (!owners.has(owner)) {
          owners.add(owner);
          sets.balances.add(owner, token, standard);
        }
      }
      seen = movement;
      if (standard !== standards.native && isOther) {
        sets.standards.add(token, standard);
        sets.totals.add(token, standard);
        sets.supplies.add(token, standard);
        sets.nodeSourced.add(token, standard);
        sets.metadata.add(token);
      }
      if (standard === standards.erc20) {
        sets.ordinals.add(movement.fromAddress);
        sets.ordinals.add(movement.toAddress);
      }
    }
    return Object.fromEntries(Object.entries(sets).map(([name, { keys }]) => [name, keys]));
  },
  reads: (blocks, state, chain) => {
    const reads: BaseRead[] = [];
    // No key has a base then.
    if (chain.from === 0 && chain.nativeAccounting === "none") return reads;
    for (const block of blocks) {
      const moved = tokenMovements(block, chain).flatMap((movement) => balanceKeysOf(movement, chain));
      for (const key of [...moved, ...reportedBalances(block).map(({ key }) => key)]) {
        const read = hasBase(key, chain) && storedBalance(state, key) === undefined ? baseReadOf(key, block.block.number) : null;
        if (read !== null) reads.push(read);
      }
    }
    return reads;
  },
  fold: (blocks, input) => foldTokens(blocks, input),
});

/** The balances that a movement changes: for each side the token's, and of a collection the id's as well. */
const balanceKeysOf = (movement: TokenMovement, chain: ChainFacts): BalanceKey[] => {
  const sending = movement.from === null ? [] : keysOf(movement, movement.from, chain);
  const receiver = receiverOf(movement);
  return receiver === null ? sending : sending.concat(keysOf(movement, receiver, chain));
};

/**
 * Whose balance grows. An ERC-20 Transfer from the zero address to the zero address mints to it, as the first liquidity of each Uniswap V2 pool does
 * (MINIMUM_LIQUIDITY).
 */
const receiverOf = ({ standard, from, to }: TokenMovement): Address | null =>
  standard === standards.erc20 && from === null && to === null ? zeroAddress : to;

const keysOf = ({ token, standard, tokenId, ofHybrid }: TokenMovement, owner: Address, chain: ChainFacts): BalanceKey[] => {
  if (standard === standards.native && chain.nativeAccounting !== "traces") return [];
  if (tokenId === null) return [{ owner, token, standard, tokenId }];
  const key = { owner, token, standard, tokenId };
  return [{ ...key, tokenId: null, ofHybrid }, key];
};

/** The native balances that the node told with a block, instead of what moved them. */
const reportedBalances = ({ block }: DecodedBlock) =>
  (block.balances ?? []).map(({ address: owner, balance, before }) => ({
    key: { owner, token: nativeTokenAddress, standard: standards.native, tokenId: null },
    balance,
    before,
  }));

/** A contract cannot have moved tokens before a chain's first block; native accounts may have been given theirs in it. */
const hasBase = (key: BalanceKey, chain: ChainFacts): boolean => key.standard === standards.native || chain.from > 0;

const storedBalance = (state: State, { owner, token, standard, tokenId }: BalanceKey): Row | undefined =>
  tokenId === null ? state.get("balances", owner, token, standard) : state.get("nftBalances", owner, token, tokenId, standard);

const openWith =
  ({ state, chain, base }: FoldInput) =>
  (key: BalanceKey): Opening => {
    const stored = storedBalance(state, key);
    if (stored !== undefined) {
      return {
        isStored: true,
        since: Number(stored.since_block),
        balance: amountOf(stored.balance),
        netChange: amountOf(stored.net_change),
      };
    }
    if (!hasBase(key, chain)) return { isStored: false, since: null, balance: 0n, netChange: null };
    // The first block does not matter for finding the answer again.
    const read = baseReadOf(key, 0);
    const balance = read === null ? null : decodeBaseBalance(key, base(read));
    // A key that begins with nothing needs no period to say so.
    // Where no call tells it, nothing ever will; what the node tells with each block is no sum.
    const isSummed = read !== null && (key.standard !== standards.native || chain.nativeAccounting === "traces");
    const netChange = balance === null && isSummed ? 0n : null;
    return { isStored: false, since: balance === 0n ? null : chain.baseBlock, balance, netChange };
  };

const amountOf = (value: Row[string] | undefined): bigint | null => (value === null || value === undefined ? null : BigInt(String(value)));

type BalanceSheet = ReturnType<typeof createBalanceSheet>;

/** Changes a balance by an amount and gives what it is then, or takes notice of the change where only the contract can tell the balance. */
const createChange =
  (whole: BalanceSheet, byId: BalanceSheet, isNodeSourced: (token: Address, standard: number) => boolean) =>
  (key: BalanceKey, amount: bigint): bigint | null => {
    const sheet = key.tokenId === null ? whole : byId;
    const isSourced = isNodeSourced(key.token, key.standard);
    if (key.standard !== standards.erc20 || key.owner !== zeroAddress) return isSourced ? sheet.forget(key) : sheet.apply(key, amount);
    // What the zero address has is compared with the supply (settling/compare-supplies), and is in no transfer's row.
    if (!isSourced) sheet.apply(key, amount);
    return null;
  };

const foldTokens = (blocks: readonly DecodedBlock[], input: FoldInput): Record<string, Row[]> => {
  const open = openWith(input);
  const whole = createBalanceSheet(open, input.chain.baseBlock);
  const byId = createBalanceSheet(open);
  const isNodeSourced = (token: Address, standard: number) => input.state.get("nodeSourced", token, standard) !== undefined;
  const totals = createTotals(input.state, input.chain, isNodeSourced);
  const change = createChange(whole, byId, isNodeSourced);
  const ordinals = createOrdinals(input.state, "ordinals");
  const catalog = createTokenCatalog(input.state);
  const transfers: Row[] = [];
  const transferTransactions: Row[] = [];

  for (const decoded of blocks) {
    const blockNumber = decoded.block.number;
    // Movements come by transaction: who is listed already is asked of one at a time.
    const listed = new Set<Address>();
    let listing = -1;
    let ordinal = 0;
    /** The side's balance after the movement: of the id where there is one, of the token else. */
    const move = (movement: TokenMovement, owner: Address | null, amount: bigint): bigint | null => {
      let after: bigint | null = null;
      for (const key of owner === null ? [] : keysOf(movement, owner, input.chain)) after = change(key, amount);
      return after;
    };
    const list = (address: Address, transactionIndex: number) => {
      if (listing !== transactionIndex) listed.clear();
      listing = transactionIndex;
      if (listed.has(address)) return;
      listed.add(address);
      transferTransactions.push({
        address,
        ordinal: ordinals.next(address),
        block_number: blockNumber,
        transaction_index: transactionIndex,
      });
    };
    for (const movement of tokenMovements(decoded, input.chain)) {
      const afterSending = move(movement, movement.from, -movement.amount);
      const afterReceiving = move(movement, receiverOf(movement), movement.amount);
      if (!movement.transfer || movement.transactionIndex === null) continue;
      totals.move(movement);
      const toSelf = movement.from === movement.to;
      transfers.push({
        block_number: blockNumber,
        ordinal,
        transaction_index: movement.transactionIndex,
        log_index: movement.logIndex,
        standard: movement.standard,
        token: movement.token,
        from_address: movement.fromAddress,
        to_address: movement.toAddress,
        token_id: movement.tokenId,
        amount: movement.amount,
        from_balance: toSelf ? afterReceiving : afterSending,
        to_balance: afterReceiving,
      });
      ordinal += 1;
      if (movement.standard !== standards.native) catalog.see(movement.token, movement.standard, blockNumber);
      if (movement.standard === standards.erc20) {
        list(movement.fromAddress, movement.transactionIndex);
        list(movement.toAddress, movement.transactionIndex);
      }
    }
    for (const { key, before, balance } of reportedBalances(decoded)) whole.set(key, before, balance);
    totals.endBlock(blockNumber, whole.endBlock(blockNumber));
    byId.endBlock(blockNumber);
  }
  return {
    token_standards: catalog.standards,
    transfers,
    transfer_transactions: transferTransactions,
    balance_periods: whole.periods,
    balances: whole.latest(),
    nft_balance_periods: byId.periods,
    nft_balances: byId.latest(),
    holder_counts: totals.holders,
    token_supplies: totals.supplies,
    node_reads: catalog.reads,
  };
};
