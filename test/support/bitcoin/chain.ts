import { address, Block, crypto, networks, opcodes, payments, script, Transaction } from "bitcoinjs-lib";

/** An output that a transaction of a test can spend. */
export interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly value: bigint;
  readonly script: Uint8Array;
  readonly height: number;
  readonly isCoinbase: boolean;
}

/** What a transaction of a test pays. */
export interface Payment {
  readonly script: Uint8Array;
  readonly value: bigint;
}

export interface TestBlock {
  readonly height: number;
  readonly hash: string;
  readonly block: Block;
  readonly transactions: readonly Transaction[];
}

/** Blocks of one branch, made with bitcoinjs-lib, without proof of work or signatures, which the index does not check. */
export interface TestBitcoinChain {
  /** By height. */
  readonly blocks: readonly TestBlock[];
  /** Adds a block with a coinbase and transactions; a repeated coinbase is the same transaction as before. */
  mine(transactions?: readonly Transaction[], coinbase?: Transaction | readonly Payment[]): TestBlock;
  /** Removes the blocks above a height. */
  fork(height: number): void;
  /** The output of a transaction of these blocks; the newest one, if its id is repeated. */
  coin(txid: string, vout: number): Coin;
}

const subsidy = 50_00000000n;
const genesisTime = 1_700_000_000;
const zeros = new Uint8Array(32);
const anyoneCanSpend = script.compile([opcodes.OP_TRUE ?? 0x51]);

/** Creates a chain with its genesis block. `salt` makes the hashes of blocks with equal transactions differ between branches. */
export function createTestBitcoinChain(): TestBitcoinChain {
  const blocks: TestBlock[] = [];
  let salt = 0;

  const mine: TestBitcoinChain["mine"] = (transactions = [], coinbase = [{ script: anyoneCanSpend, value: subsidy }]) => {
    const height = blocks.length;
    salt += 1;
    const all = [coinbase instanceof Transaction ? coinbase : coinbaseOf(height, salt, coinbase), ...transactions];
    const block = new Block();
    block.version = 0x20000000;
    block.prevHash = blocks.at(-1)?.block.getHash() ?? zeros;
    block.merkleRoot = Block.calculateMerkleRoot(all);
    block.timestamp = genesisTime + 600 * height;
    block.bits = 0x207fffff;
    block.nonce = salt;
    block.transactions = all;
    const mined = { height, hash: block.getId(), block, transactions: all };
    blocks.push(mined);
    return mined;
  };

  const coin: TestBitcoinChain["coin"] = (txid, vout) => {
    for (const { height, transactions } of blocks.toReversed()) {
      const transaction = transactions.find((candidate) => candidate.getId() === txid);
      const output = transaction?.outs[vout];
      if (transaction !== undefined && output !== undefined)
        return { txid, vout, value: output.value, script: output.script, height, isCoinbase: transaction.isCoinbase() };
    }
    throw new Error(`No output ${vout} of transaction ${txid} in this chain.`);
  };

  mine();
  return { blocks, mine, coin, fork: (height) => void blocks.splice(height + 1) };
}

/** A coinbase with the height and a number that makes it unique (BIP 34). */
function coinbaseOf(height: number, salt: number, payments: readonly Payment[]): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  transaction.addInput(zeros, 0xffffffff, 0xffffffff, script.compile([script.number.encode(height), script.number.encode(salt)]));
  for (const { script: output, value } of payments) transaction.addOutput(output, value);
  return transaction;
}

/** A transaction that spends coins; their sum less that of the payments is its fee. */
export function spend(coins: readonly Coin[], paid: readonly Payment[]): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  for (const { txid, vout } of coins) transaction.addInput(Uint8Array.from(Buffer.from(txid, "hex").reverse()), vout);
  for (const { script: output, value } of paid) transaction.addOutput(output, value);
  return transaction;
}

/** A wallet of a kind of output: its script and its address, both as bitcoinjs-lib derives them; null if the script has none. */
export interface TestWallet {
  readonly kind: string;
  readonly script: Uint8Array;
  readonly address: string | null;
}

/** Wallets of every kind of output, from a number that determines their keys. */
export function walletsOf(seed: number, network = networks.regtest): Readonly<Record<string, TestWallet>> {
  // A compressed public key is 02 or 03 and 32 bytes; no test signs with it.
  const key = (suffix: number): Uint8Array => Uint8Array.from([2, ...crypto.sha256(Uint8Array.from([seed, suffix]))]);
  const publicKey = key(0);
  const hash = crypto.hash160(publicKey);
  const multisig = script.compile([opcodes.OP_1 ?? 0x51, key(1), key(2), opcodes.OP_2 ?? 0x52, opcodes.OP_CHECKMULTISIG ?? 0xae]);
  const paid = (kind: string, payment: { output?: Uint8Array | undefined; address?: string | undefined }): TestWallet => {
    if (payment.output === undefined || payment.address === undefined) throw new Error(`No ${kind} output.`);
    return { kind, script: payment.output, address: payment.address };
  };
  return {
    p2pkh: paid("p2pkh", payments.p2pkh({ hash, network })),
    p2sh: paid("p2sh", payments.p2sh({ hash: crypto.hash160(multisig), network })),
    p2wpkh: paid("p2wpkh", payments.p2wpkh({ hash, network })),
    p2wsh: paid("p2wsh", payments.p2wsh({ hash: crypto.sha256(multisig), network })),
    p2tr: {
      kind: "p2tr",
      script: Uint8Array.from([0x51, 32, ...publicKey.slice(1)]),
      address: address.toBech32(publicKey.slice(1), 1, network.bech32),
    },
    p2pk: { kind: "p2pk", script: script.compile([publicKey, opcodes.OP_CHECKSIG ?? 0xac]), address: null },
    multisig: { kind: "multisig", script: multisig, address: null },
    data: { kind: "data", script: script.compile([opcodes.OP_RETURN ?? 0x6a, crypto.sha256(publicKey)]), address: null },
  };
}
