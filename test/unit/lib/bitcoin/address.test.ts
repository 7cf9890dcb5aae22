import { networks, address as reference } from "bitcoinjs-lib";
import { describe, expect, it } from "vitest";
import { deriveWallets } from "../../../../demo/bitcoin/wallets.ts";
import { addressOf, scriptOf } from "../../../../runtime/lib/bitcoin/address.ts";
import { bitcoinNetworks } from "../../../../runtime/lib/bitcoin/networks.ts";
import type { Hex } from "../../../../runtime/lib/hex.ts";

const { mainnet, testnet4, regtest } = bitcoinNetworks;
const hex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString("hex")}`;
const seeds = Array.from({ length: 40 }, (_, seed) => seed);

describe("the address of a script", () => {
  it.each([
    ["mainnet", mainnet, networks.bitcoin],
    ["testnet4", testnet4, networks.testnet],
    ["regtest", regtest, networks.regtest],
  ] as const)("equals the address of bitcoinjs-lib, and converts back to the script (%s)", (_, network, library) => {
    for (const { script, address } of seeds.flatMap((seed) => Object.values(deriveWallets(seed, library)))) {
      expect(addressOf(network, hex(script))).toBe(address);
      if (address !== null) expect(scriptOf(network, address)).toBe(hex(script));
    }
  });

  // BIP 173 and BIP 350, test vectors for valid addresses.
  it.each([
    ["BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", mainnet, "0x0014751e76e8199196d454941c45d1b3a323f1433bd6"],
    [
      "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7",
      testnet4,
      "0x00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262",
    ],
    [
      "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
      mainnet,
      "0x5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6",
    ],
    ["BC1SW50QGDZ25J", mainnet, "0x6002751e"],
    ["bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", mainnet, "0x5210751e76e8199196d454941c45d1b3a323"],
    [
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0",
      mainnet,
      "0x512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
    ],
  ] as const)("is decoded as the standards specify: %s", (address, network, script) => {
    expect(scriptOf(network, address)).toBe(script);
    expect(addressOf(network, script)).toBe(address.toLowerCase());
  });

  // BIP 350, test vectors for invalid addresses, and addresses for other networks and formats.
  it.each([
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
    "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL",
    "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh",
    "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4",
    "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R",
    "bc1pw5dgrnzv",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav",
    "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P",
    "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf",
    "bc1gmk9yu",
    "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4",
    "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
    "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
    "0x742d35cc6634c0532925a3b844bc454e4438f44e",
    "alice.eth",
    "",
    "1",
    "1".repeat(35),
    "é".repeat(30),
  ])("is refused if it is invalid or for another network: %s", (address) => {
    expect(scriptOf(mainnet, address)).toBeNull();
  });

  it("is refused if any of its characters is changed", () => {
    for (const { address } of Object.values(deriveWallets(7, networks.bitcoin))) {
      for (const position of address === null ? [] : [...address].keys()) {
        const changed = `${address?.slice(0, position)}${address?.[position] === "q" ? "p" : "q"}${address?.slice(position + 1)}`;
        expect(scriptOf(mainnet, changed), changed).toBeNull();
        expect(() => reference.toOutputScript(changed, networks.bitcoin), changed).toThrow();
      }
    }
  });

  it("is null for scripts without one", () => {
    const scripts: readonly Hex[] = [
      "0x",
      "0x00",
      "0x51",
      "0x6a0401020304",
      "0x0014",
      `0x0015${"00".repeat(21)}`,
      `0x5129${"00".repeat(41)}`,
      "0x5101ff",
    ];
    expect(scripts.map((script) => addressOf(mainnet, script))).toEqual(scripts.map(() => null));
  });
});
