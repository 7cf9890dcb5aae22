/** A Bitcoin network: the format of its addresses, its names and its id. */
export interface BitcoinNetwork {
  /** The name that Bitcoin Core reports as `chain`. */
  readonly coreName: string;
  /** The version byte of P2PKH and of P2SH addresses (base58check). */
  readonly publicKeyHash: number;
  readonly scriptHash: number;
  /** The human-readable part of addresses of witness programs (BIP 173). */
  readonly prefix: string;
  /** The forms of its addresses, for messages. */
  readonly forms: string;
  /** The default of the setting `id`: the day of the genesis block, because Bitcoin has no chain ids. */
  readonly id: number;
}

const testAddresses = { publicKeyHash: 0x6f, scriptHash: 0xc4 } as const;

/** The networks of Bitcoin by the names of the setting `network`; versions and prefixes as in Bitcoin Core's src/kernel/chainparams.cpp. */
export const bitcoinNetworks = {
  mainnet: { coreName: "main", publicKeyHash: 0x00, scriptHash: 0x05, prefix: "bc", forms: "1…, 3… or bc1…", id: 20_090_103 },
  testnet4: { coreName: "testnet4", ...testAddresses, prefix: "tb", forms: "m…, n…, 2… or tb1…", id: 20_240_503 },
  signet: { coreName: "signet", ...testAddresses, prefix: "tb", forms: "m…, n…, 2… or tb1…", id: 20_200_901 },
  regtest: { coreName: "regtest", ...testAddresses, prefix: "bcrt", forms: "m…, n…, 2… or bcrt1…", id: 20_110_202 },
} as const satisfies Readonly<Record<string, BitcoinNetwork>>;

export type BitcoinNetworkName = keyof typeof bitcoinNetworks;
