import { keccak256, stringToHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import type { Address, Hash } from "../../runtime/lib/hex.ts";
import { baseFeeAt } from "./fees.ts";

/** An address of the story's own, with a name for its seed: nobody has its key, the node lets anybody send from it. */
export const addressOf = (name: string): Address => `0x${keccak256(stringToHex(`ashlar demo: ${name}`)).slice(-40)}`;

/** The one account that anvil funds at genesis: the first of its default mnemonic. */
export const treasury: Address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";

/** The one key of the story, for what has to be signed: permits, and listings of the life after the story. It follows from a public name, so it guards nothing. */
export const signerKey: Hash = keccak256(stringToHex("ashlar demo: key of the gardener"));

/** The account of that key, who tends the garden. */
export const signer: Address = privateKeyToAddress(signerKey).toLowerCase() as Address;

/** Who earns the tips. */
export const blockProducer: Address = addressOf("block producer");

/** Anvil's arguments by which the chain is what it is; the genesis time comes from outside. */
export const genesisArguments = (genesisTime: number): readonly string[] => [
  ...["--chain-id", "31337", "--hardfork", "prague", "--gas-limit", "30000000", "--timestamp", String(genesisTime)],
  ...["--accounts", "1", "--balance", "1000000", "--auto-impersonate"],
  ...["--no-mining", "--order", "fees", "--block-base-fee-per-gas", baseFeeAt(0).toString()],
];
