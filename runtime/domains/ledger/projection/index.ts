import type { ChainBlock, ChainTransaction } from "../../../chain/types.ts";
import type { DecodedBlock } from "../../../events/decoded-block.ts";
import { defineProjection, type Row } from "../../../indexer/projection.ts";
import { createKeySet, type State } from "../../../indexer/state/state.ts";
import type { Address } from "../../../lib/hex.ts";
import { nativeBaseReads } from "./native-base-reads.ts";
import { ledgerTables } from "./tables.ts";

/** The chain as the node returns it. Every other projection can be rebuilt from these rows. */
export const ledgerProjection = defineProjection({
  id: "ledger",
  version: 2,
  events: [],
  tables: ledgerTables,
  loads: { ordinals: { table: "address_transactions", key: { address: "bytea" }, valueColumns: ["ordinal"], newestBy: "ordinal" } },
  keysToLoad: (blocks) => {
    const addresses = createKeySet();
    for (const { block } of blocks) {
      for (const transaction of block.transactions) for (const address of partiesOf(transaction)) addresses.add(address);
    }
    return { ordinals: addresses.keys };
  },
  // The ledger stores base balances, so that projections of native balances can be built later without the node.
  requiredBaseReads: (blocks, _state, chain) =>
    nativeBaseReads(
      blocks.map(({ block }) => block),
      chain.nativeAccounting,
    ),
  fold: (blocks, { state }) => foldLedger(blocks, state),
});

/** The addresses whose transaction lists contain a transaction. */
const partiesOf = ({ from, to, createdContract }: ChainTransaction): readonly Address[] => {
  const parties = [from];
  if (to !== null && to !== from) parties.push(to);
  if (createdContract !== null && !parties.includes(createdContract)) parties.push(createdContract);
  return parties;
};

const foldLedger = (blocks: readonly DecodedBlock[], state: State): Record<string, Row[]> => {
  const rows = {
    blocks: [] as Row[],
    transactions: [] as Row[],
    logs: [] as Row[],
    traces: [] as Row[],
    withdrawals: [] as Row[],
    account_balances: [] as Row[],
    address_transactions: [] as Row[],
  };
  const ordinals = createOrdinals(state, "ordinals");
  for (const { block } of blocks) {
    rows.blocks.push(toBlockRow(block));
    for (const transaction of block.transactions) {
      const block_number = block.number;
      const transaction_index = transaction.index;
      rows.transactions.push(toTransactionRow(transaction, block.number));
      for (const log of transaction.logs) {
        const [topic0 = null, topic1 = null, topic2 = null, topic3 = null] = log.topics;
        rows.logs.push({
          block_number,
          transaction_index,
          log_index: log.index,
          address: log.address,
          topic0,
          topic1,
          topic2,
          topic3,
          data: log.data,
        });
      }
      for (const trace of transaction.traces ?? []) {
        rows.traces.push({
          block_number,
          transaction_index,
          trace_index: trace.index,
          type: trace.type,
          from_address: trace.from,
          to_address: trace.to,
          value: trace.value,
        });
      }
      for (const address of partiesOf(transaction))
        rows.address_transactions.push({ address, ordinal: ordinals.next(address), block_number, transaction_index });
    }
    for (const withdrawal of block.withdrawals) {
      rows.withdrawals.push({
        block_number: block.number,
        withdrawal_index: withdrawal.index,
        validator_index: withdrawal.validatorIndex,
        address: withdrawal.address,
        amount_gwei: withdrawal.amountGwei,
      });
    }
    for (const { address, balance, balanceBefore } of block.balances ?? []) {
      rows.account_balances.push({ block_number: block.number, address, balance, balance_before: balanceBefore });
    }
  }
  return rows;
};

/** Numbers an address's rows from 0 without gaps, continuing after the stored ones. */
export const createOrdinals = (state: State, load: string) => {
  const last = new Map<Address, number>();
  return {
    next: (address: Address): number => {
      const ordinal = (last.get(address) ?? Number(state.get(load, address)?.ordinal ?? -1)) + 1;
      last.set(address, ordinal);
      return ordinal;
    },
  };
};

const toBlockRow = (block: ChainBlock): Row => ({
  number: block.number,
  hash: block.hash,
  parent_hash: block.parentHash,
  timestamp: block.timestamp,
  miner: block.miner,
  extra_data: block.extraData,
  gas_used: block.gasUsed,
  gas_limit: block.gasLimit,
  base_fee: block.baseFeePerGas,
  size: block.size,
  transaction_count: block.transactions.length,
});

const toTransactionRow = (transaction: ChainTransaction, blockNumber: number): Row => ({
  block_number: blockNumber,
  transaction_index: transaction.index,
  hash: transaction.hash,
  from_address: transaction.from,
  to_address: transaction.to,
  created_contract: transaction.createdContract,
  value: transaction.value,
  nonce: transaction.nonce,
  gas_limit: transaction.gasLimit,
  gas_used: transaction.gasUsed,
  gas_price: transaction.effectiveGasPrice,
  type: transaction.type,
  successful: transaction.successful,
  input: transaction.input,
  l1_fee: transaction.l1Fee,
  blob_fee: transaction.blobFee,
});
