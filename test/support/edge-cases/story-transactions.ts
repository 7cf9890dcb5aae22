import { type Address, type Hash, type Hex, sha256, toHex, zeroAddress } from "viem";
import { type HDAccount, mnemonicToAccount } from "viem/accounts";
import type { Deployed, StoryBuilder } from "./story-builder.ts";
import type { Accounts, StoryToken } from "./story-coins.ts";
import { sink } from "./story-values.ts";

/** Derives an account from anvil's default mnemonic. */
const account = (addressIndex: number): HDAccount =>
  mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex });

const gwei = 10n ** 9n;

/** Mines type 0, 1 and 2 transactions, with and without a priority fee, some to the sender itself, some from or to the fee recipient. */
export async function addFeeVariants(builder: StoryBuilder, { alice, bob, carol }: Accounts, miner: Address): Promise<void> {
  const { chain } = builder;
  const send = (fields: Record<string, unknown>): Promise<Hash> => chain.rpc("eth_sendTransaction", [{ gas: toHex(60_000), ...fields }]);
  const accessList = [{ address: bob, storageKeys: [toHex(0, { size: 32 })] }];
  await builder.mineSent(
    await send({ from: alice, to: bob, value: "0x65", type: "0x0", gasPrice: toHex(9n * gwei) }),
    await send({ from: alice, to: bob, value: "0x66", type: "0x1", gasPrice: toHex(8n * gwei), accessList }),
    await send({ from: bob, to: carol, value: "0x67", maxFeePerGas: toHex(20n * gwei), maxPriorityFeePerGas: toHex(3n * gwei) }),
    await send({ from: bob, to: carol, value: "0x68", maxFeePerGas: toHex(20n * gwei), maxPriorityFeePerGas: "0x0" }),
    await send({ from: carol, to: carol, value: "0x69", maxFeePerGas: toHex(20n * gwei), maxPriorityFeePerGas: toHex(gwei) }),
    await send({ from: carol, to: miner, value: "0x6a", maxFeePerGas: toHex(20n * gwei), maxPriorityFeePerGas: toHex(gwei) }),
    await send({ from: miner, to: carol, value: "0x6b", maxFeePerGas: toHex(20n * gwei), maxPriorityFeePerGas: toHex(gwei) }),
    await send({ from: miner, to: miner, value: "0x6c", maxFeePerGas: toHex(20n * gwei), maxPriorityFeePerGas: toHex(gwei) }),
    await send({ from: alice, to: zeroAddress, value: "0x6d" }),
  );
}

/** A blob of zeros: the polynomial 0, whose commitment and proof are the point at infinity (EIP-4844). It needs no trusted setup. */
const emptyBlob = (() => {
  const infinity: Hex = `0xc0${"00".repeat(47)}`;
  const blob: Hex = `0x${"00".repeat(131_072)}`;
  const versionedHash: Hex = `0x01${sha256(infinity).slice(4)}`;
  return { sidecars: [{ blob, commitment: infinity, proof: infinity }], blobVersionedHashes: [versionedHash] };
})();

/** Mines a type 3 transaction, which also burns a blob fee. */
export async function addBlobTransaction(builder: StoryBuilder, chainId: number, signer: number): Promise<void> {
  const { chain } = builder;
  const from = account(signer);
  const nonce = Number(await chain.rpc<Hex>("eth_getTransactionCount", [from.address, "latest"]));
  const signed = await from.signTransaction({
    type: "eip4844",
    chainId,
    nonce,
    to: sink(20),
    value: 51n,
    gas: 60_000n,
    maxFeePerGas: 20n * gwei,
    maxPriorityFeePerGas: gwei,
    maxFeePerBlobGas: 5n * gwei,
    ...emptyBlob,
  });
  await builder.mineSent(await chain.rpc<Hash>("eth_sendRawTransaction", [signed]));
}

/** Mines type 4 transactions: an account delegates to a token's code for three blocks (EIP-7702), and then revokes the delegation. */
export async function addDelegatedAccount(
  builder: StoryBuilder,
  chainId: number,
  signer: number,
  code: Deployed,
  { bob, carol }: Accounts,
): Promise<StoryToken> {
  const { chain } = builder;
  const delegator = account(signer);
  const address = delegator.address.toLowerCase() as Address;
  const delegateTo = async (contractAddress: Address, data: Hex): Promise<void> => {
    const nonce = Number(await chain.rpc<Hex>("eth_getTransactionCount", [address, "latest"]));
    if (delegator.signAuthorization === undefined) throw new Error("The account cannot sign authorizations");
    // The transaction itself uses the first nonce.
    const authorizationList = [await delegator.signAuthorization({ contractAddress, chainId, nonce: nonce + 1 })];
    const price = { maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: gwei };
    const signed = await delegator.signTransaction({
      type: "eip7702",
      chainId,
      nonce,
      to: address,
      data,
      gas: 300_000n,
      ...price,
      authorizationList,
    });
    await builder.mineSent(await chain.rpc<Hash>("eth_sendRawTransaction", [signed]));
  };
  const mint = (to: Address) => code.call("mint", to, 600n).data;
  await delegateTo(code.address, mint(bob));
  await builder.mineBlock({ from: bob, to: address, data: mint(carol), gas: 200_000n });
  await delegateTo(zeroAddress, "0x");
  return { name: "personal", address, kind: "erc20", balanceSource: "none" };
}
