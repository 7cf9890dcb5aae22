import type { Transaction } from "bitcoinjs-lib";
import {
  type BitcoinChain,
  type Coin,
  createTransaction,
  displayHash,
  type MinedBlock,
  type Payment,
} from "../../../demo/bitcoin/chain.ts";
import { deriveWallets, type Wallet } from "../../../demo/bitcoin/wallets.ts";
import type { Random } from "../../../demo/story/random.ts";

/** A transaction's effect on an address, computed by the test. Amounts are in satoshi. */
export interface LedgerEntry {
  readonly height: number;
  readonly offset: number;
  readonly txid: string;
  readonly received: bigint;
  readonly sent: bigint;
  /** Null if the address spends nothing in the transaction. */
  readonly fee: bigint | null;
  /** The address's coins that the transaction spends. */
  readonly coins: readonly Coin[];
  /** The height of the oldest coin that the transaction spends, from any address; null for a coinbase. */
  readonly oldestCoinHeight: number | null;
}

/** Random payments between wallets with every kind of output, and each address's ledger. */
export interface BitcoinStory {
  readonly chain: BitcoinChain;
  readonly wallets: readonly Wallet[];
  /** Mines a block of random payments. */
  mine(): void;
  /** Mines a block with the same coinbase transaction as an earlier block, which was possible before BIP 30. */
  repeatCoinbase(height: number): void;
  /** Replaces the blocks above a height with one more block than before. */
  reorganise(height: number): void;
  /** An address's entries, newest first. */
  entriesOf(address: string): LedgerEntry[];
}

const blockReward = 50_00000000n;

/** Creates a story on a chain that consists of its genesis block. */
export function createStory(chain: BitcoinChain, random: Random, ownerCount: number): BitcoinStory {
  const wallets = Array.from({ length: ownerCount }, (_, seed) => Object.values(deriveWallets(seed + 1))).flat();
  const owners = new Map(wallets.map((wallet) => [hexOf(wallet.script), wallet]));
  /** The unspent outputs before each block, to start a branch at any height. */
  const unspentBefore: (readonly Coin[])[] = [[], []];
  const entries = new Map<string, LedgerEntry[]>();
  const anyWallet = (): Wallet => wallets[random.between(0, wallets.length - 1)] as Wallet;

  const randomPayment = (coins: readonly Coin[]): readonly Payment[] => {
    const total = coins.reduce((sum, { value }) => sum + value, 0n);
    const outputCount = random.between(1, 4);
    const spendable = total > 10_000n ? total - BigInt(random.between(0, 999)) : total;
    const share = spendable / BigInt(outputCount);
    return Array.from({ length: outputCount }, (_, index) => {
      const { kind, script } = anyWallet();
      const rest = index === outputCount - 1 ? spendable - share * BigInt(outputCount - 1) : share;
      return { script, value: kind === "data" ? 0n : rest };
    });
  };

  const record = ({ height, transactions }: MinedBlock): void => {
    let unspent = [...(unspentBefore[height] ?? [])];
    for (const [offset, transaction] of transactions.entries()) {
      const { txid, spent, created, fee, oldestCoinHeight } = coinsOf(transaction, height, unspent);
      for (const [address, amounts] of amountsByAddress(owners, created, spent)) {
        const list = entries.get(address) ?? [];
        const coins = spent.filter(({ script }) => owners.get(hexOf(script))?.address === address);
        entries.set(address, [...list, { height, offset, txid, ...amounts, fee: amounts.sent > 0n ? fee : null, coins, oldestCoinHeight }]);
      }
      // A repeated transaction's outputs replace the original ones (BIP 30). Outputs without an owner are never spent.
      const remaining = unspent.filter((coin) => coin.txid !== txid && !spent.includes(coin));
      unspent = [...remaining, ...created.filter(({ script, value }) => value > 0n && owners.has(hexOf(script)))];
    }
    unspentBefore[height + 1] = unspent;
  };

  const mine = (): void => {
    const available = [...(unspentBefore[chain.blocks.length] ?? [])];
    const transactions: Transaction[] = [];
    const takeRandom = (): Coin => available.splice(random.between(0, available.length - 1), 1)[0] as Coin;
    for (let count = random.between(0, 5); count > 0 && available.length > 0; count -= 1) {
      const coins = Array.from({ length: Math.min(random.between(1, 3), available.length) }, takeRandom);
      const transaction = createTransaction(coins, randomPayment(coins));
      transactions.push(transaction);
      // Outputs can be spent in the same block.
      for (const [vout, { script, value }] of transaction.outs.entries())
        if (value > 0n) available.push({ txid: transaction.getId(), vout, value, script, height: chain.blocks.length, isCoinbase: false });
    }
    record(chain.mine(transactions, [{ script: anyWallet().script, value: blockReward }]));
  };

  const removeAbove = (height: number): void => {
    chain.removeBlocksAbove(height);
    for (const [address, list] of entries)
      entries.set(
        address,
        list.filter((entry) => entry.height <= height),
      );
  };

  return {
    chain,
    wallets,
    mine,
    repeatCoinbase: (height) => record(chain.mine([], chain.blocks[height]?.transactions[0] as Transaction)),
    reorganise: (height) => {
      const removedCount = chain.blocks.length - 1 - height;
      removeAbove(height);
      for (let count = 0; count <= removedCount; count += 1) mine();
    },
    entriesOf: (address) => (entries.get(address) ?? []).toReversed(),
  };
}

/** The coins that a transaction spends and creates, its fee, and the height of the oldest spent coin. */
function coinsOf(transaction: Transaction, height: number, unspent: readonly Coin[]) {
  const txid = transaction.getId();
  const isCoinbase = transaction.isCoinbase();
  const spent = isCoinbase ? [] : transaction.ins.map(({ hash, index }) => take(unspent, displayHash(hash), index));
  const created = transaction.outs.map(({ value, script }, vout): Coin => ({ txid, vout, value, script, height, isCoinbase }));
  const sum = (coins: readonly Coin[]): bigint => coins.reduce((total, { value }) => total + value, 0n);
  const fee = isCoinbase ? null : sum(spent) - sum(created);
  const oldestCoinHeight = isCoinbase ? null : Math.min(...spent.map((coin) => coin.height));
  return { txid, spent, created, fee, oldestCoinHeight };
}

/** The amounts that a transaction pays to each address and spends from it. */
function amountsByAddress(owners: ReadonlyMap<string, Wallet>, created: readonly Coin[], spent: readonly Coin[]) {
  const moved = new Map<string, { received: bigint; sent: bigint }>();
  const add = (side: "received" | "sent", coins: readonly Coin[]): void => {
    for (const { script, value } of coins) {
      const address = owners.get(hexOf(script))?.address;
      if (!address) continue;
      const amounts = moved.get(address) ?? { received: 0n, sent: 0n };
      amounts[side] += value;
      moved.set(address, amounts);
    }
  };
  add("received", created);
  add("sent", spent);
  return moved;
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

const take = (unspent: readonly Coin[], txid: string, vout: number): Coin => {
  const coin = unspent.find((candidate) => candidate.txid === txid && candidate.vout === vout);
  if (coin === undefined) throw new Error(`Output ${vout} of ${txid} is not unspent.`);
  return coin;
};
