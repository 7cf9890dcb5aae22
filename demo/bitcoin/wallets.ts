import { address, crypto, networks, opcodes, payments, script } from "bitcoinjs-lib";

/** The kinds of outputs; the last three have no address. */
export type OutputKind = "p2pkh" | "p2sh" | "p2wpkh" | "p2wsh" | "p2tr" | "p2pk" | "multisig" | "data";

/** A wallet with one kind of output: its script and its address (null if it has none), as bitcoinjs-lib derives them. */
export interface Wallet {
  readonly kind: OutputKind;
  readonly script: Uint8Array;
  readonly address: string | null;
}

/** Creates a wallet for every kind of output; the seed determines their keys. */
export function deriveWallets(seed: number, network = networks.regtest): Readonly<Record<OutputKind, Wallet>> {
  // A compressed public key is 02 or 03 and 32 bytes; nothing is signed with it.
  const key = (suffix: number): Uint8Array => Uint8Array.from([2, ...crypto.sha256(Uint8Array.from([seed, suffix]))]);
  const publicKey = key(0);
  const hash = crypto.hash160(publicKey);
  const multisig = script.compile([opcodes.OP_1 ?? 0x51, key(1), key(2), opcodes.OP_2 ?? 0x52, opcodes.OP_CHECKMULTISIG ?? 0xae]);
  const walletWithAddress = (kind: OutputKind, payment: { output?: Uint8Array | undefined; address?: string | undefined }): Wallet => {
    if (payment.output === undefined || payment.address === undefined) throw new Error(`bitcoinjs-lib returned no ${kind} output`);
    return { kind, script: payment.output, address: payment.address };
  };
  return {
    p2pkh: walletWithAddress("p2pkh", payments.p2pkh({ hash, network })),
    p2sh: walletWithAddress("p2sh", payments.p2sh({ hash: crypto.hash160(multisig), network })),
    p2wpkh: walletWithAddress("p2wpkh", payments.p2wpkh({ hash, network })),
    p2wsh: walletWithAddress("p2wsh", payments.p2wsh({ hash: crypto.sha256(multisig), network })),
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
