import type { ChainBlock, ChainLog, ChainTransaction } from "../../runtime/chain/types.ts";
import type { Address, Hash } from "../../runtime/lib/hex.ts";
import { createRandom, hexOf } from "../support/random.ts";
import { encodeEvent } from "./events.ts";
import { type Draw, keeper, type PlannedEvent, type PlannedProtocol } from "./plan.ts";

/** Incremented when the same parameters produce different blocks. */
export const storyVersion = 2;

/** The size of a generated protocol-event chain. */
export interface StorySize {
  readonly seed: number;
  /** Events, in addition to the first ones of each market. */
  readonly events: number;
  /** The time of the newest block (Unix seconds). */
  readonly until: number;
}

const logsPerTransaction = 4;
const logsPerBlock = 160;
const walletCount = 20_000;
const spanSeconds = 90 * 86_400;
/** The number of markets of each protocol in which the whale has a position. */
const positionCount = 200;

/** The wallet with a position in each of the first 200 markets of each protocol. */
export const whale: Address = hexOf(57, 0, 5);
/** A wallet with few positions. */
export const walletOf = (number: number): Address => hexOf(58, number, 5);

/** An event as a log, without its position. */
export interface PlainLog extends Omit<ChainLog, "index"> {
  /** The account in the event. */
  readonly account: Address;
  /** Whether a protocol has a table for the event. */
  readonly isDeclared: boolean;
}

/**
 * Generates an endless sequence of protocol events. Each market starts with one event of each kind for a wallet (the whale, where it has a
 * position) and one for the keeper; then all events are random. Some markets and wallets have far more events than others; one event in 200 is
 * the whale's.
 */
export function* generateLogs(protocols: readonly PlannedProtocol[], seed: number): Generator<PlainLog, never> {
  const random = createRandom(seed);
  const logOf = (event: PlannedEvent, draw: Omit<Draw, "contractOf">): PlainLog => ({
    address: event.emitter(draw.market),
    account: draw.wallet,
    isDeclared: event.isDeclared,
    ...encodeEvent(event.event, event.values(draw)),
  });
  for (const { events, plan } of protocols) {
    for (let market = 0; market < plan.marketCount; market += 1) {
      const draw = { market, other: walletOf(market), amount: 10n ** 30n, step: 1 };
      for (const event of events) yield logOf(event, { ...draw, wallet: market < positionCount ? whale : walletOf(market) });
      for (const event of events.filter(isRepeated)) yield logOf(event, { ...draw, wallet: keeper });
    }
  }
  const choices = protocols.map(({ plan, events }) => ({
    plan,
    events: events.flatMap((event) => Array<PlannedEvent>(event.weight).fill(event)),
  }));
  const drawWallet = () => walletOf(Math.floor(walletCount * random() ** 2));
  for (let step = 1; ; step += 1) {
    const { plan, events } = choices[step % choices.length] as (typeof choices)[number];
    const event = events[Math.floor(random() * events.length)] as PlannedEvent;
    const isOfWhale = random() < 1 / 200;
    const market = Math.floor((isOfWhale ? Math.min(positionCount, plan.marketCount) : plan.marketCount) * random() ** 3);
    const amount = BigInt(1 + Math.floor(random() * 1_000_000)) * 10n ** 15n;
    yield logOf(event, { market, wallet: isOfWhale ? whale : drawWallet(), other: drawWallet(), amount, step });
  }
}

const isRepeated = ({ weight }: PlannedEvent): boolean => weight > 0;

/** The number of logs before the random ones. */
export const initialLogCount = (protocols: readonly PlannedProtocol[]): number =>
  protocols.reduce((sum, { plan, events }) => sum + plan.marketCount * (events.length + events.filter(isRepeated).length), 0);

/** Generates the blocks of a protocol-event chain. */
export function* generateBlocks(protocols: readonly PlannedProtocol[], { seed, events, until }: StorySize): Generator<ChainBlock> {
  const logs = generateLogs(protocols, seed);
  const blocks = Math.ceil((initialLogCount(protocols) + events) / logsPerBlock);
  let parentHash: Hash = hexOf(59, 0, 8);
  for (let number = 0; number < blocks; number += 1) {
    const transactions = Array.from({ length: logsPerBlock / logsPerTransaction }, (_, index) =>
      transactionOf(
        number * 1_000 + index,
        index,
        Array.from({ length: logsPerTransaction }, (__, position) => ({
          index: index * logsPerTransaction + position,
          ...logs.next().value,
        })),
      ),
    );
    const hash: Hash = hexOf(59, number + 1, 8);
    yield {
      number,
      hash,
      parentHash,
      timestamp: until - Math.floor((spanSeconds * (blocks - 1 - number)) / blocks),
      miner: walletOf(0),
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

/** Creates a transaction whose sender is the account of its first event. */
const transactionOf = (number: number, index: number, logs: readonly (PlainLog & ChainLog)[]): ChainTransaction => ({
  index,
  hash: hexOf(60, number, 8),
  from: logs[0]?.account ?? whale,
  to: logs[0]?.address ?? whale,
  value: 0n,
  nonce: BigInt(number),
  gasLimit: 1_000_000n,
  input: "0x12345678",
  type: 2,
  successful: true,
  gasUsed: 150_000n,
  effectiveGasPrice: 2n * 10n ** 9n,
  createdContract: null,
  l1Fee: null,
  blobFee: null,
  logs,
  traces: [],
});
