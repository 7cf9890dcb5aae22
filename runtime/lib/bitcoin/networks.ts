/** A Bitcoin network: its address format, names and id. */
export interface BitcoinNetwork {
  /** The name that Bitcoin Core reports as `chain`. */
  readonly coreName: string;
  /** The version bytes of P2PKH and P2SH addresses (base58check). */
  readonly publicKeyHash: number;
  readonly scriptHash: number;
  /** The human-readable part of witness program addresses (BIP 173). */
  readonly prefix: string;
  /** Its address forms, for messages. */
  readonly forms: string;
  /** The default for the setting `id`: the genesis block's date, because Bitcoin has no chain ids. */
  readonly id: number;
}

const testAddresses = { publicKeyHash: 0x6f, scriptHash: 0xc4 } as const;

/** Bitcoin networks by their name in the setting `network`; versions and prefixes as in Bitcoin Core's src/kernel/chainparams.cpp. */
export const bitcoinNetworks = {
  mainnet: { coreName: "main", publicKeyHash: 0x00, scriptHash: 0x05, prefix: "bc", forms: "1…, 3… or bc1…", id: 20_090_103 },
  testnet4: { coreName: "testnet4", ...testAddresses, prefix: "tb", forms: "m…, n…, 2… or tb1…", id: 20_240_503 },
  signet: { coreName: "signet", ...testAddresses, prefix: "tb", forms: "m…, n…, 2… or tb1…", id: 20_200_901 },
  regtest: { coreName: "regtest", ...testAddresses, prefix: "bcrt", forms: "m…, n…, 2… or bcrt1…", id: 20_110_202 },
} as const satisfies Readonly<Record<string, BitcoinNetwork>>;

export type BitcoinNetworkName = keyof typeof bitcoinNetworks;
