import { address, crypto, networks, opcodes, script } from "bitcoinjs-lib";
import { createRandom, type Random } from "../story/random.ts";
import { storyDays } from "../story/types.ts";
import { type BitcoinChain, createBitcoinChain, initialSubsidy } from "./chain.ts";
import { createStoryWallet, type StoryWallet, type TransactionWithFee } from "./story-wallet.ts";
import { deriveWallets } from "./wallets.ts";

const secondsPerDay = 86_400;
const blocksPerDay = 4;
/** The number of blocks of the first day: the block after them is the first that can spend the coins of block 1. */
const firstDayBlocks = 100;
/** The number of blocks between two halvings on regtest. */
const halvingInterval = 150;
/** BIP 173's example address, which is also the example in the endpoint's documentation. */
const documentedAddress = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";

/** The Bitcoin chain of the demo. */
export interface BitcoinDemoStory {
  readonly chain: BitcoinChain;
  /** The addresses of its wallets, as story values. */
  readonly values: Readonly<Record<string, string>>;
}

/** The story's wallets: a saver who is paid by an exchange and a friend and pays a shop, and the miner of all blocks. */
const createWallets = () => ({
  saver: createStoryWallet("p2wpkh", { script: address.toOutputScript(documentedAddress, networks.regtest), address: documentedAddress }),
  friend: createStoryWallet("p2pkh", deriveWallets(1).p2pkh),
  shop: createStoryWallet("p2tr", deriveWallets(2).p2tr),
  exchange: createStoryWallet("p2wsh", deriveWallets(3).p2wsh),
  miner: createStoryWallet("p2wpkh", deriveWallets(4).p2wpkh),
});

type Wallets = ReturnType<typeof createWallets>;

/** Creates the chain: a hundred empty blocks on the first day, then four blocks a day until the story ends. It depends only on the genesis time. */
export function createBitcoinDemoStory(genesisTime: number): BitcoinDemoStory {
  const random = createRandom("bitcoin");
  const wallets = createWallets();
  const chain = createBitcoinChain((height) => genesisTime + offsetOf(height));
  const last = firstDayBlocks + (storyDays - 1) * blocksPerDay + 1;
  for (let height = 1; height <= last; height += 1) {
    const blockTransactions = transactionsAt(height, wallets, random);
    const fees = blockTransactions.reduce((total, { fee }) => total + fee, 0n);
    const coinbase = [{ script: wallets.miner.script, value: subsidyAt(height) + fees }];
    const transactions = blockTransactions.map(({ transaction }) => transaction);
    const block = chain.mine(transactions, coinbase);
    for (const wallet of Object.values(wallets)) wallet.receive(block);
  }
  const { saver, friend, shop, exchange, miner } = wallets;
  return {
    chain,
    values: {
      bitcoinSaver: saver.address,
      bitcoinFriend: friend.address,
      bitcoinShop: shop.address,
      bitcoinExchange: exchange.address,
      bitcoinMiner: miner.address,
    },
  };
}

/** A block's position among those after the first day, from 0. */
const positionOf = (height: number): number => height - firstDayBlocks - 1;

/** The seconds from the genesis block to a block: ten minutes per block on the first day; the last block is at the end of the story. */
const offsetOf = (height: number): number =>
  height <= firstDayBlocks ? 600 * height : secondsPerDay + (secondsPerDay / blocksPerDay) * positionOf(height);

const subsidyAt = (height: number): bigint => initialSubsidy >> BigInt(Math.floor(height / halvingInterval));

/** The transactions of a block after its coinbase. */
function transactionsAt(height: number, { saver, friend, shop, exchange, miner }: Wallets, random: Random): TransactionWithFee[] {
  const position = positionOf(height);
  if (position < 0) return [];
  const day = 1 + Math.floor(position / blocksPerDay);
  const options = { height, feeRate: BigInt(random.between(1, 20)) };
  const partOf = (wallet: StoryWallet): bigint => (wallet.spendableBalance(height) * BigInt(random.between(5, 30))) / 100n;
  switch (position % blocksPerDay) {
    case 0:
      // Every third day, the miner sells all its coins.
      return day % 3 === 1 ? [miner.payAll(exchange.script, options)] : [];
    case 1: {
      // The exchange pays several customers with one transaction.
      const customers = day % 5 === 0 ? [saver, friend, shop] : [saver, friend];
      const withdrawals = customers.map((customer) => ({ script: customer.script, value: BigInt(random.between(500_000, 5_000_000)) }));
      return [exchange.pay(withdrawals, options)];
    }
    case 2:
      return [
        friend.pay([{ script: (day % 2 === 1 ? saver : shop).script, value: partOf(friend) }], options),
        saver.pay([{ script: shop.script, value: partOf(saver) }], options),
      ];
    default: {
      // Once a week, the shop sells its coins and records a document; every tenth day, the saver merges its coins.
      if (day % 7 === 0) return [shop.payAll(exchange.script, options, [{ script: recordOf(day), value: 0n }])];
      return day % 10 === 5 ? [saver.payAll(saver.script, options)] : [];
    }
  }
}

/** The script of a zero-value output that contains a document's hash. */
const recordOf = (day: number): Uint8Array =>
  script.compile([opcodes.OP_RETURN ?? 0x6a, crypto.sha256(new TextEncoder().encode(`Accounts up to day ${day}`))]);
