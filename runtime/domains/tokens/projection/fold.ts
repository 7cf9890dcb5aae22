import type { DecodedBlock } from "../../../events/decoded-block.ts";
import type { FoldInput, Row } from "../../../indexer/projection.ts";
import { type Address, zeroAddress } from "../../../lib/hex.ts";
import { createOrdinals } from "../../ledger/projection/index.ts";
import { hasBase, keysOf, receiverOf, reportedBalances, storedBalance } from "./balance-keys.ts";
import { createBalanceSheet, type OpeningBalance } from "./balances.ts";
import { type BalanceKey, baseReadOf, decodeBaseBalance } from "./base-reads.ts";
import { type TokenMovement, tokenMovements } from "./movements.ts";
import { standards } from "./standards.ts";
import { createTokenCollector } from "./token-collector.ts";
import { createTotals } from "./totals.ts";

const createOpener =
  ({ state, chain, baseOutcome }: FoldInput) =>
  (key: BalanceKey): OpeningBalance => {
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
    // The key of a base read does not contain the first block.
    const read = baseReadOf(key, 0);
    const balance = read === null ? null : decodeBaseBalance(key, baseOutcome(read));
    // An initial balance of 0 needs no period. Without a call, the base can never be determined. A reported balance is not a sum.
    const isSummed = read !== null && (key.standard !== standards.native || chain.nativeAccounting === "traces");
    const netChange = balance === null && isSummed ? 0n : null;
    return { isStored: false, since: balance === 0n ? null : chain.baseBlock, balance, netChange };
  };

const amountOf = (value: Row[string] | undefined): bigint | null => (value === null || value === undefined ? null : BigInt(String(value)));

type BalanceSheet = ReturnType<typeof createBalanceSheet>;

/** Creates the function that changes a balance and returns the new one; null for a node-sourced token, whose balance becomes unknown. */
const createBalanceChanger =
  (byToken: BalanceSheet, byId: BalanceSheet, isNodeSourced: (token: Address, standard: number) => boolean) =>
  (key: BalanceKey, amount: bigint): bigint | null => {
    const sheet = key.tokenId === null ? byToken : byId;
    const isSourced = isNodeSourced(key.token, key.standard);
    if (key.standard !== standards.erc20 || key.owner !== zeroAddress) return isSourced ? sheet.markUnknown(key) : sheet.apply(key, amount);
    // The zero address's balance is read together with the supply (compare-supplies) and is not stored in the rows of transfers.
    if (!isSourced) sheet.apply(key, amount);
    return null;
  };

/** Lists each address's transactions with ERC-20 transfers, each transaction once. */
const createTransactionList = (state: FoldInput["state"]) => {
  const ordinals = createOrdinals(state, "ordinals");
  const rows: Row[] = [];
  // Movements are ordered by transaction, so a set for the current transaction is sufficient.
  const listed = new Set<Address>();
  let [lastBlock, lastTransaction] = [-1, -1];
  return {
    rows,
    add: (address: Address, blockNumber: number, transactionIndex: number): void => {
      if (lastBlock !== blockNumber || lastTransaction !== transactionIndex) listed.clear();
      [lastBlock, lastTransaction] = [blockNumber, transactionIndex];
      if (listed.has(address)) return;
      listed.add(address);
      rows.push({ address, ordinal: ordinals.next(address), block_number: blockNumber, transaction_index: transactionIndex });
    },
  };
};

/** Folds a batch of blocks into the projection's rows. */
export const foldTokens = (blocks: readonly DecodedBlock[], input: FoldInput): Record<string, Row[]> => {
  const open = createOpener(input);
  const byToken = createBalanceSheet(open, input.chain.baseBlock);
  const byId = createBalanceSheet(open);
  const isNodeSourced = (token: Address, standard: number) => input.state.get("nodeSourced", token, standard) !== undefined;
  const totals = createTotals(input.state, input.chain, isNodeSourced);
  const change = createBalanceChanger(byToken, byId, isNodeSourced);
  const transactions = createTransactionList(input.state);
  const collector = createTokenCollector(input.state);
  const transfers: Row[] = [];

  /** Changes the balances of one side and returns the new balance: the id's if there is an id, otherwise the token's. */
  const move = (movement: TokenMovement, owner: Address | null, amount: bigint): bigint | null => {
    let after: bigint | null = null;
    for (const key of owner === null ? [] : keysOf(movement, owner, input.chain)) after = change(key, amount);
    return after;
  };

  /** Applies a movement; true if it is a transfer. */
  const apply = (movement: TokenMovement, blockNumber: number, ordinal: number): boolean => {
    const afterSending = move(movement, movement.from, -movement.amount);
    const afterReceiving = move(movement, receiverOf(movement), movement.amount);
    if (!movement.isTransfer || movement.transactionIndex === null) return false;
    totals.move(movement);
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
      from_balance: movement.from === movement.to ? afterReceiving : afterSending,
      to_balance: afterReceiving,
    });
    if (movement.standard !== standards.native) collector.add(movement.token, movement.standard, blockNumber);
    if (movement.standard === standards.erc20) {
      transactions.add(movement.fromAddress, blockNumber, movement.transactionIndex);
      transactions.add(movement.toAddress, blockNumber, movement.transactionIndex);
    }
    return true;
  };

  for (const decoded of blocks) {
    const blockNumber = decoded.block.number;
    let ordinal = 0;
    for (const movement of tokenMovements(decoded, input.chain)) if (apply(movement, blockNumber, ordinal)) ordinal += 1;
    for (const { key, before, balance } of reportedBalances(decoded)) byToken.set(key, before, balance);
    totals.endBlock(blockNumber, byToken.endBlock(blockNumber));
    byId.endBlock(blockNumber);
  }
  return {
    token_standards: collector.standards,
    transfers,
    transfer_transactions: transactions.rows,
    balance_periods: byToken.periods,
    balances: byToken.latest(),
    nft_balance_periods: byId.periods,
    nft_balances: byId.latest(),
    holder_counts: totals.holders,
    token_supplies: totals.supplies,
    node_reads: collector.reads,
  };
};
