import type { CallOutcome } from "../../../runtime/chain/source.ts";
import type { ChainBlock, ChainLog, ChainTransaction } from "../../../runtime/chain/types.ts";
import { tokensProjection } from "../../../runtime/domains/tokens/projection/index.ts";
import { createEventDecoder } from "../../../runtime/events/event-decoder.ts";
import { erc20Transfer, erc721Transfer, erc1155TransferBatch } from "../../../runtime/events/transfers.ts";
import { type BaseRead, baseReadKey, type ChainFacts, type Row } from "../../../runtime/indexer/projection.ts";
import { createState } from "../../../runtime/indexer/state/state.ts";
import type { Address, Hash, Hex } from "../../../runtime/lib/hex.ts";

const account = (digit: string): Address => `0x${digit.repeat(40)}`;
/** Accounts, a token contract and a wrapped token. */
export const [alice, bob, carol, miner, token, weth] = ["a", "b", "c", "d", "e", "f"].map(account) as [
  Address,
  Address,
  Address,
  Address,
  Address,
  Address,
];
const word = (value: bigint | number | Address): string =>
  (typeof value === "string" ? value.slice(2) : value.toString(16)).padStart(64, "0");
/** Encodes a number or an address as a topic. */
export const topic = (value: bigint | number | Address): Hash => `0x${word(value)}`;
/** Encodes numbers as the data of a log. */
export const data = (...words: (bigint | number)[]): Hex => `0x${words.map(word).join("")}`;
/** A log from the token or another contract. */
export const log = (topics: Hash[], body: Hex = "0x", address: Address = token): ChainLog => ({ index: 0, address, topics, data: body });
/** An EIP-20 Transfer. */
export const erc20 = (from: Address, to: Address, amount: bigint, address = token) =>
  log([erc20Transfer.topic0, topic(from), topic(to)], data(amount), address);
/** An EIP-721 Transfer. */
export const erc721 = (from: Address, to: Address, id: bigint) => log([erc721Transfer.topic0, topic(from), topic(to), topic(id)]);
/** An EIP-1155 TransferBatch. */
export const batch = (from: Address, to: Address, ids: bigint[], amounts: bigint[]) =>
  log(
    [erc1155TransferBatch.topic0, topic(alice), topic(from), topic(to)],
    data(64, 64 + 32 * (ids.length + 1), ids.length, ...ids, amounts.length, ...amounts),
  );

/** A transaction without a fee. */
export const transaction = (overrides: Partial<ChainTransaction> = {}): ChainTransaction => ({
  index: 0,
  hash: topic(1),
  from: alice,
  to: token,
  value: 0n,
  nonce: 0n,
  gasLimit: 100n,
  input: "0x01",
  type: 2,
  successful: true,
  gasUsed: 0n,
  effectiveGasPrice: 0n,
  createdContract: null,
  l1Fee: null,
  blobFee: null,
  logs: [],
  traces: [],
  ...overrides,
});

/** Creates a block, and assigns its transaction and log indexes. */
export const block = (number: number, transactions: ChainTransaction[], overrides: Partial<ChainBlock> = {}): ChainBlock => {
  let logIndex = 0;
  return {
    number,
    hash: topic(number),
    parentHash: topic(number - 1),
    timestamp: 1_000 + number,
    miner,
    extraData: "0x",
    gasUsed: 0n,
    gasLimit: 30n,
    baseFeePerGas: 0n,
    size: 1,
    transactions: transactions.map((entry, index) => ({
      ...entry,
      index,
      logs: entry.logs.map((item) => ({ ...item, index: logIndex++ })),
    })),
    withdrawals: [],
    balances: null,
    ...overrides,
  };
};
/** A block with one transaction that has the given logs. */
export const withLogs = (number: number, ...logs: ChainLog[]) => block(number, [transaction({ logs })]);

interface FoldOptions {
  readonly facts?: Partial<ChainFacts>;
  /** The node's response to a native balance read or a contract call. */
  readonly base?: (read: BaseRead) => CallOutcome;
  readonly state?: Record<string, Map<string, Row>>;
}
/** A node that returns one whole unit for every read. */
const returnsOneUnit: NonNullable<FoldOptions["base"]> = () => ({ ok: true, data: topic(10n ** 18n) });
/** Folds blocks and returns the written rows. */
export const fold = (blocks: ChainBlock[], { facts, base = returnsOneUnit, state = {} }: FoldOptions = {}) => {
  const chain: ChainFacts = { from: 0, baseBlock: 0, nativeAccounting: "traces", wrappedNative: new Set([weth]), ...facts };
  const decoded = blocks.map(createEventDecoder(tokensProjection.events));
  const loaded = createState(state);
  const declared = new Set((tokensProjection.requiredBaseReads?.(decoded, loaded, chain) ?? []).map(baseReadKey));
  const rows = tokensProjection.fold(decoded, {
    chain,
    state: loaded,
    baseOutcome: (read) => {
      if (!declared.has(baseReadKey(read))) throw new Error(`The read ${baseReadKey(read)} was not declared`);
      return base(read);
    },
  });
  return rows as Record<
    | "transfers"
    | "balances"
    | "balance_periods"
    | "nft_balances"
    | "nft_balance_periods"
    | "holder_counts"
    | "token_supplies"
    | "token_standards"
    | "transfer_transactions"
    | "node_reads",
    Row[]
  >;
};
/** Selects columns from rows. */
export const pick = (rows: readonly Row[], ...columns: string[]) => rows.map((row) => columns.map((column) => row[column]));

/** Returns all balances with their first block, sorted by block and owner. */
export const history = (rows: ReturnType<typeof fold>) =>
  [...pick(rows.balance_periods, "owner", "from_block", "balance"), ...pick(rows.balances, "owner", "since_block", "balance")].sort(
    ([leftOwner, left], [rightOwner, right]) => Number(left) - Number(right) || (String(leftOwner) < String(rightOwner) ? -1 : 1),
  );
