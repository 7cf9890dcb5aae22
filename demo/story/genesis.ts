import { keccak256, stringToHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { Address, Hash } from "../../runtime/lib/hex.ts";
import { baseFeeAt } from "./fees.ts";

/** Derives an account's address from a name. It has no known key; the node accepts its transactions unsigned (`--auto-impersonate`). */
export const addressOf = (name: string): Address => `0x${keccak256(stringToHex(`ashlar demo: ${name}`)).slice(-40)}`;

/** The only account that anvil funds at genesis: the first of its default mnemonic. */
export const treasury: Address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/** Derives a private key from a name. It is not a secret, because the name is public. */
export const privateKeyOf = (name: string): Hash => keccak256(stringToHex(`ashlar demo: key of ${name}`));

/** The gardener's key, which signs permits and the listings of live blocks. */
export const gardenerPrivateKey: Hash = privateKeyOf("the gardener");

/** The gardener's address. */
export const gardenerAddress: Address = privateKeyToAddress(gardenerPrivateKey).toLowerCase() as Address;

/** The account that earns the priority fees. */
export const blockProducer: Address = addressOf("block producer");

/** The arguments of anvil that determine the chain. */
export const genesisArguments = (genesisTime: number): readonly string[] => [
  ...["--chain-id", "31337", "--hardfork", "prague", "--gas-limit", "30000000", "--timestamp", String(genesisTime)],
  ...["--accounts", "1", "--balance", "1000000", "--auto-impersonate"],
  ...["--no-mining", "--order", "fees", "--block-base-fee-per-gas", baseFeeAt(0).toString()],
];
