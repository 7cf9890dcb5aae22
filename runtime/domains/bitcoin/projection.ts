import type { BitcoinBlock, BitcoinInput, BitcoinOutput, BitcoinTransaction } from "../../chain/bitcoin/types.ts";
import { InvalidResponseError } from "../../chain/errors.ts";
import type { AppendTable, Row } from "../../indexer/projection.ts";
import { hasAddress } from "../../lib/bitcoin/address.ts";
import type { Hex } from "../../lib/hex.ts";

const position = { block_number: "int8", transaction_index: "int4" } as const;

/** The projection of a Bitcoin chain: its blocks as the node returns them, and the transactions of each address. */
export const bitcoinProjection = {
  id: "bitcoin",
  version: 1,
  tables: [
    {
      kind: "append",
      name: "bitcoin_blocks",
      blockColumn: "number",
      columns: { number: "int8", hash: "bytea", parent_hash: "bytea", timestamp: "int8", transaction_count: "int4" },
    },
    { kind: "append", name: "bitcoin_transactions", columns: { ...position, txid: "bytea", coinbase: "bool", fee: "int8" } },
    { kind: "append", name: "bitcoin_outputs", columns: { ...position, output_index: "int4", value: "int8", script: "bytea" } },
    {
      kind: "append",
      name: "bitcoin_inputs",
      columns: { ...position, input_index: "int4", spent_txid: "bytea", spent_index: "int8", value: "int8", script: "bytea" },
    },
    { kind: "append", name: "bitcoin_address_transactions", columns: { script: "bytea", ...position, received: "int8", sent: "int8" } },
  ],
} as const satisfies { readonly id: string; readonly version: number; readonly tables: readonly AppendTable[] };

type Rows = Readonly<Record<(typeof bitcoinProjection)["tables"][number]["name"], readonly Row[]>>;

/**
 * Folds blocks into rows. Their inputs contain the outputs that they spend, where known. @throws {InvalidResponseError} if the node's amounts are
 * inconsistent.
 */
export function foldBlocks(blocks: readonly BitcoinBlock[]): Rows {
  const transactions = blocks.flatMap((block) =>
    block.transactions.map((transaction, index) => ({ transaction, at: { block_number: block.number, transaction_index: index } })),
  );
  return {
    bitcoin_blocks: blocks.map(({ number, hash, parentHash, timestamp, transactions: all }) => ({
      number,
      hash,
      parent_hash: parentHash,
      timestamp,
      transaction_count: all.length,
    })),
    bitcoin_transactions: transactions.map(({ transaction, at }) => ({
      ...at,
      txid: transaction.txid,
      coinbase: transaction.isCoinbase,
      fee: feeOf(transaction),
    })),
    bitcoin_outputs: transactions.flatMap(({ transaction, at }) =>
      transaction.outputs.map(({ value, script }, index) => ({ ...at, output_index: index, value, script })),
    ),
    bitcoin_inputs: transactions.flatMap(({ transaction, at }) =>
      transaction.inputs.map((input, index) => ({ ...at, ...inputRow(input, index) })),
    ),
    bitcoin_address_transactions: transactions.flatMap(({ transaction, at }) =>
      [...amountsByScript(transaction)].map(([script, amounts]) => ({ script, ...at, ...amounts })),
    ),
  };
}

const inputRow = ({ txid, index, spent }: BitcoinInput, position: number): Row => ({
  input_index: position,
  spent_txid: txid,
  spent_index: index,
  value: spent?.value ?? null,
  script: spent?.script ?? null,
});

/** The inputs' value minus the outputs' value; if an input is unknown, the fee that the node reports. @throws {InvalidResponseError} */
function feeOf({ txid, isCoinbase, inputs, outputs, reportedFee }: BitcoinTransaction): bigint | null {
  if (isCoinbase) return null;
  const spent = inputs.flatMap((input) => input.spent ?? []);
  if (spent.length < inputs.length) return reportedFee;
  const fee = sum(spent) - sum(outputs);
  if (fee < 0n || (reportedFee !== null && reportedFee !== fee))
    throw new InvalidResponseError(
      `The node returned inconsistent amounts for transaction ${txid}: reported fee ${reportedFee ?? "none"}, inputs minus outputs ${fee}.`,
    );
  return fee;
}

const sum = (outputs: readonly BitcoinOutput[]): bigint => outputs.reduce((total, { value }) => total + value, 0n);

/** The amounts that a transaction pays to and spends from each script that has an address. */
function amountsByScript({ inputs, outputs }: BitcoinTransaction): ReadonlyMap<Hex, { readonly received: bigint; readonly sent: bigint }> {
  const amounts = new Map<Hex, { received: bigint; sent: bigint }>();
  const add = (side: "received" | "sent", { value, script }: BitcoinOutput): void => {
    if (!amounts.has(script) && !hasAddress(script)) return;
    const entry = amounts.get(script) ?? { received: 0n, sent: 0n };
    entry[side] += value;
    amounts.set(script, entry);
  };
  for (const output of outputs) add("received", output);
  for (const { spent } of inputs) if (spent !== null) add("sent", spent);
  return amounts;
}
