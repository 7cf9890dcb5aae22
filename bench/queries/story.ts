import type { ChainBlock, ChainLog, ChainTransaction } from "../../runtime/chain/types.ts";
import { type Address, type Hash, type Hex, zeroAddress } from "../../runtime/lib/hex.ts";
import { createRandom, hexOf } from "../support/random.ts";

/** Incremented when the same parameters produce different blocks. */
export const storyVersion = 2;

/** Parameters of a generated chain; the same parameters produce the same blocks. */
export interface StorySize {
  readonly seed: number;
  /** ERC-20 transfers, rounded up to whole blocks. The counts in StoryFacts are for five million and scale with this number, except the collector's. */
  readonly transfers: number;
}

/** Addresses of a generated chain. */
export interface StoryFacts {
  readonly blockCount: number;
  /** Sends two of fifteen transactions: 222,000 for five million transfers. */
  readonly busy: Address;
  /** Holds 30,000 tokens at any size. */
  readonly collector: Address;
  /** Wallets with 30 tokens each, all transferred frequently. */
  readonly ordinary: readonly Address[];
  /** Has one holder for every ten transfers: 500,000 for five million. Some holders transfer it frequently. */
  readonly popularToken: Address;
  readonly popularHolderCount: number;
  readonly tokenOf: (number: number) => Address;
}

const transfersPerTransaction = 3;
const transfersPerBlock = 24;
const tokenCount = 40_000;
const collectedTokens = 30_000;
const tokensPerOrdinaryWallet = 30;
/** The first token number of ordinary wallets. */
const firstOrdinaryToken = 1_000;
const firstTimestamp = 1_700_000_000;
const spanSeconds = 90 * 86_400;
export const transferTopic: Hash = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const emptyHash = `0x${"0".repeat(64)}` as Hash;

const kinds = { token: 1, holder: 2, account: 3, transaction: 4, block: 5 } as const;
const accounts = { busy: 0, treasury: 1, collector: 2, miner: 3, ordinary: 10 } as const;
const account = (number: number): Address => hexOf(kinds.account, number, 5);
const tokenOf = (number: number): Address => hexOf(kinds.token, number, 5);
/** The hash of a transaction by its number in the chain, from 0. */
export const transactionHash = (number: number): Hash => hexOf(kinds.transaction, number, 8);

/** Returns the addresses of a generated chain without generating it. */
export const factsOf = ({ transfers }: StorySize): StoryFacts => ({
  blockCount: Math.ceil(transfers / transfersPerBlock),
  busy: account(accounts.busy),
  collector: account(accounts.collector),
  ordinary: Array.from({ length: ordinaryWalletCount(transfers) }, (_, index) => account(accounts.ordinary + index)),
  popularToken: tokenOf(0),
  popularHolderCount: Math.floor(transfers / 10),
  tokenOf,
});

const ordinaryWalletCount = (transfers: number): number => Math.max(1, Math.floor(transfers / 5_000));

/** Timestamp of a block (Unix seconds); chains of all sizes span the same days. */
export const timeOfBlock = ({ blockCount }: Pick<StoryFacts, "blockCount">, number: number): number =>
  firstTimestamp + number * Math.max(1, Math.floor(spanSeconds / blockCount));

interface Movement {
  readonly token: number;
  readonly from: Address;
  readonly to: Address;
  readonly amount: number;
}

/**
 * Generates the blocks of a chain in order. No balance goes below zero: a sender transfers half of the amount that the token's last
 * receiver received, or the token is minted.
 */
export function* generateBlocks(size: StorySize): Generator<ChainBlock> {
  const facts = factsOf(size);
  const { blockCount } = facts;
  const mover = createMover(size);
  let parentHash = emptyHash;
  let transaction = 0;
  for (let number = 0; number < blockCount; number += 1) {
    const transactions: ChainTransaction[] = [];
    for (let index = 0; index < transfersPerBlock / transfersPerTransaction; index += 1) {
      transactions.push(toTransaction(transaction, index, mover.movements(transaction)));
      transaction += 1;
    }
    const hash = hexOf(kinds.block, number, 8);
    yield {
      number,
      hash,
      parentHash,
      timestamp: timeOfBlock(facts, number),
      miner: account(accounts.miner),
      extraData: "0x",
      gasUsed: BigInt(transactions.length * 150_000),
      gasLimit: 30_000_000n,
      baseFeePerGas: 10n ** 9n,
      size: 1_000 + transactions.length * 400,
      transactions,
      withdrawals: [],
      balances: null,
    };
    parentHash = hash;
  }
}

/** Chooses three movements for each transaction. */
const createMover = ({ seed, transfers }: StorySize) => {
  const random = createRandom(seed);
  const pool = Math.max(100, Math.floor(transfers / 5));
  const holders = Math.floor(transfers / 10);
  const ordinaryCount = ordinaryWalletCount(transfers);
  const collectingInterval = Math.max(1, Math.floor(transfers / transfersPerTransaction / collectedTokens));
  const lastReceiver: (Address | undefined)[] = new Array(tokenCount).fill(undefined);
  const lastAmount = new Float64Array(tokenCount);
  const popularBalances = new Float64Array(holders);
  let popular = 0;

  /** The higher a token's number, the fewer holders it has, so pairs of token and holder recur. */
  const holderOf = (token: number, share: number): Address => {
    const tokenHolders = Math.max(3, Math.floor(holders / (token + 1)));
    return hexOf(kinds.holder, (Math.floor(share * share * tokenHolders) * 7_919 + token * 104_729) % pool, 5);
  };
  const mintAmount = (): number => 1_000_000 + Math.floor(random() * 1_000_000_000);
  const transferTo = (token: number, to: Address, fixedSender?: Address): Movement => {
    const sender = fixedSender ?? lastReceiver[token];
    const amount = sender === undefined || sender === to ? mintAmount() : Math.floor((lastAmount[token] ?? 0) / 2);
    const from = sender === undefined || sender === to ? zeroAddress : sender;
    lastReceiver[token] = to;
    lastAmount[token] = amount;
    // After too many halvings, the next movement mints the token.
    if (amount < 1_000) lastReceiver[token] = undefined;
    return { token, from, to, amount };
  };
  const anyToken = (): number => Math.floor(tokenCount * random() ** 4);
  const popularHolder = (number: number): Address => hexOf(kinds.holder, (number * 7_919) % pool, 5);
  /** Transfers half of the sender's balance between two holders of the popular token, some of which are chosen far more often. */
  const transferPopular = (): Movement => {
    const sender = Math.floor(popular * random() ** 3);
    const recipient = Math.floor(popular * random() ** 3);
    const amount = sender === recipient ? 0 : Math.floor((popularBalances[sender] ?? 0) / 2);
    popularBalances[sender] = (popularBalances[sender] ?? 0) - amount;
    popularBalances[recipient] = (popularBalances[recipient] ?? 0) + amount;
    return { token: 0, from: popularHolder(sender), to: popularHolder(recipient), amount };
  };

  const firstMovement = (transaction: number): Movement => {
    if (transaction === 0) return { token: 0, from: zeroAddress, to: account(accounts.treasury), amount: holders * 2_000_000 };
    // Four in ten transactions move the popular token, until every holder has a balance.
    if (transaction % 10 < 4 && popular < holders) {
      const to = popularHolder(popular);
      const amount = 1_000_000 + (((popular + 1) * 31) % 999_983);
      popularBalances[popular] = amount;
      popular += 1;
      return { token: 0, from: account(accounts.treasury), to, amount };
    }
    const token = anyToken() || 1;
    return transferTo(token, holderOf(token, random()));
  };
  const secondMovement = (transaction: number): Movement => {
    if (transaction % 5 === 0) {
      const turn = transaction / 5;
      const wallet = account(accounts.ordinary + (turn % ordinaryCount));
      const round = Math.floor(turn / ordinaryCount);
      const token = firstOrdinaryToken + ((turn % ordinaryCount) % 100) * tokensPerOrdinaryWallet + (round % tokensPerOrdinaryWallet);
      return Math.floor(round / tokensPerOrdinaryWallet) % 2 === 0 || lastReceiver[token] !== wallet
        ? transferTo(token, wallet)
        : transferTo(token, holderOf(token, random()), wallet);
    }
    const token = anyToken() || 1;
    return transferTo(token, holderOf(token, random()));
  };
  const thirdMovement = (transaction: number): Movement => {
    const turn = transaction / collectingInterval;
    if (Number.isInteger(turn) && turn < collectedTokens) return transferTo(turn + 1, account(accounts.collector));
    if (transaction % 5 === 1 && popular > 1) return transferPopular();
    const token = anyToken() || 1;
    return transferTo(token, holderOf(token, random()));
  };
  return {
    movements: (transaction: number): Movement[] => {
      if (!isSentByBusy(transaction)) return [firstMovement(transaction), secondMovement(transaction), thirdMovement(transaction)];
      const token = 1 + Math.floor(random() * 300);
      const deposit = transferTo(token, account(accounts.busy));
      return [deposit, transferTo(token, holderOf(token, random()), account(accounts.busy)), thirdMovement(transaction)];
    },
  };
};

/** Every sixth transaction is sent by the busy address, except those of the ordinary wallets. */
const isSentByBusy = (transaction: number): boolean => transaction % 6 === 5 && transaction % 5 !== 0;

const topicOf = (address: Address): Hash => `0x${"0".repeat(24)}${address.slice(2)}`;
const wordOf = (amount: number): Hex => `0x${(BigInt(amount) * 10n ** 9n).toString(16).padStart(64, "0")}`;

const toTransaction = (number: number, index: number, movements: readonly Movement[]): ChainTransaction => {
  const sender = isSentByBusy(number)
    ? account(accounts.busy)
    : (movements.find(({ from }) => from !== zeroAddress)?.from ?? account(accounts.treasury));
  const logs = movements.map(
    ({ token, from, to, amount }, position): ChainLog => ({
      index: index * transfersPerTransaction + position,
      address: tokenOf(token),
      topics: [transferTopic, topicOf(from), topicOf(to)],
      data: wordOf(amount),
    }),
  );
  return {
    index,
    hash: transactionHash(number),
    from: sender,
    to: tokenOf(movements[0]?.token ?? 0),
    value: 0n,
    nonce: BigInt(number),
    gasLimit: 200_000n,
    input: "0xa9059cbb",
    type: 2,
    successful: true,
    gasUsed: 150_000n,
    effectiveGasPrice: 2n * 10n ** 9n,
    createdContract: null,
    l1Fee: null,
    blobFee: null,
    logs,
    traces: [],
  };
};
