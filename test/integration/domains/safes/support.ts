import { createRequire } from "node:module";
import {
  type Abi,
  type Address,
  concatHex,
  decodeFunctionResult,
  encodeFunctionData,
  type Hash,
  type Hex,
  pad,
  size,
  toHex,
  zeroAddress,
} from "viem";
import { type HDAccount, mnemonicToAccount } from "viem/accounts";
import { type Artifact, encodeCall, type TestChain, type TestTransaction } from "../../../support/chain.ts";

const require = createRequire(import.meta.url);
const load = (path: string): Artifact => {
  const { abi, bytecode } = require(path) as { abi: Abi; bytecode: Hex };
  return { abi, bytecode };
};
const [gnosis, safeGlobal] = [
  "@gnosis.pm/safe-contracts/build/artifacts/contracts",
  "@safe-global/safe-contracts/build/artifacts/contracts",
];

/** The released contracts of two versions, with and without SafeL2's events. */
const versions = {
  "1.3.0": { singleton: `${gnosis}/GnosisSafe.sol/GnosisSafe.json`, directory: gnosis, factory: "GnosisSafeProxyFactory" },
  "1.3.0 L2": { singleton: `${gnosis}/GnosisSafeL2.sol/GnosisSafeL2.json`, directory: gnosis, factory: "GnosisSafeProxyFactory" },
  "1.4.1": { singleton: `${safeGlobal}/Safe.sol/Safe.json`, directory: safeGlobal, factory: "SafeProxyFactory" },
  "1.4.1 L2": { singleton: `${safeGlobal}/SafeL2.sol/SafeL2.json`, directory: safeGlobal, factory: "SafeProxyFactory" },
} as const;

/** A released version. */
export type Version = keyof typeof versions;

/** An account of anvil's default mnemonic. */
export const accountAt = (addressIndex: number): HDAccount =>
  mnemonicToAccount("test test test test test test test test test test test junk", { addressIndex });

/** A signature of a Safe transaction: its owner, 65 bytes, and the data of a contract signature. */
export interface Signature {
  readonly owner: Address;
  readonly staticPart: (offset: number) => Hex;
  readonly data?: Hex;
}

const word = (value: Hex): Hex => pad(value, { size: 32 });

export const ecdsaSignature = async (account: HDAccount, hash: Hash): Promise<Signature> => {
  const signature = await account.sign({ hash });
  return { owner: account.address, staticPart: () => signature };
};
export const ethSignSignature = async (account: HDAccount, hash: Hash): Promise<Signature> => {
  const signature = await account.signMessage({ message: { raw: hash } });
  const moved = concatHex([signature.slice(0, -2) as Hex, toHex(Number.parseInt(signature.slice(-2), 16) + 4, { size: 1 })]);
  return { owner: account.address, staticPart: () => moved };
};
export const approvedHashSignature = (owner: Address): Signature => ({
  owner,
  staticPart: () => concatHex([word(owner), word("0x"), "0x01"]),
});
export const contractSignature = (owner: Address, data: Hex): Signature => ({
  owner,
  data,
  staticPart: (offset) => concatHex([word(owner), toHex(offset, { size: 32 }), "0x00"]),
});

/** The signature bytes in order of owner, as a Safe requires, followed by those that it does not check. */
export const joinSignatures = (signatures: readonly Signature[], unchecked: readonly Signature[] = []): Hex => {
  const sorted = [...signatures].sort((left, right) => (left.owner.toLowerCase() < right.owner.toLowerCase() ? -1 : 1));
  const all = [...sorted, ...unchecked];
  let offset = 65 * all.length;
  const [parts, tails]: [Hex[], Hex[]] = [[], []];
  for (const { staticPart, data } of all) {
    parts.push(staticPart(offset));
    if (data === undefined) continue;
    tails.push(concatHex([toHex(size(data), { size: 32 }), data]));
    offset += 32 + size(data);
  }
  return concatHex([...parts, ...tails]);
};

/** A call that a Safe makes. */
interface SafeCall {
  readonly to: Address;
  readonly data?: Hex;
  /** If above zero, a failed call does not revert the execution. */
  readonly safeTxGas?: bigint;
}

/** A deployed Safe. */
export interface TestSafe {
  readonly address: Address;
  readonly artifact: Artifact;
  /** The hash that owners sign for a call, and the data that is hashed; `ahead` counts the transactions to be executed before it. */
  hashOf(safeCall: SafeCall, ahead?: bigint): Promise<{ readonly hash: Hash; readonly data: Hex }>;
  /** The transaction that executes a call. */
  executionTransaction(safeCall: SafeCall, signatures: Hex): { readonly to: Address; readonly data: Hex };
  /** The hash that owners of this Safe sign to accept data (EIP-1271). */
  messageHash(data: Hex): Promise<Hash>;
}

const parametersOf = ({ to, data = "0x", safeTxGas = 0n }: SafeCall): readonly unknown[] => [
  to,
  0n,
  data,
  0,
  safeTxGas,
  0n,
  0n,
  zeroAddress,
  zeroAddress,
];

/** Deploys Safes of one version as proxies. */
export const createSafes = async (chain: TestChain, version: Version) => {
  const { singleton: path, directory, factory: name } = versions[version];
  const artifact = load(path);
  const factoryArtifact = load(`${directory}/proxies/${name}.sol/${name}.json`);
  const handlerArtifact = load(`${directory}/handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler.json`);
  const singleton = await chain.deploy(artifact);
  const factory = await chain.deploy(factoryArtifact);
  const handler = await chain.deploy(handlerArtifact);
  let salt = 0n;
  const read = async <T>(to: Address, { abi }: Artifact, functionName: string, args: readonly unknown[]): Promise<T> => {
    const data = await chain.rpc<Hex>("eth_call", [{ to, data: encodeFunctionData({ abi, functionName, args }) }, "latest"]);
    return decodeFunctionResult({ abi, functionName, args, data }) as T;
  };
  return async (owners: readonly Address[], threshold: number): Promise<TestSafe> => {
    const setup = encodeFunctionData({
      abi: artifact.abi,
      functionName: "setup",
      args: [owners, BigInt(threshold), zeroAddress, "0x", handler, zeroAddress, 0n, zeroAddress],
    });
    salt += 1n;
    const creation = [singleton, setup, salt];
    const address = await read<Address>(factory, factoryArtifact, "createProxyWithNonce", creation);
    await mine(chain, encodeCall(factoryArtifact, factory, "createProxyWithNonce", creation));
    return {
      address,
      artifact,
      hashOf: async (safeCall, ahead = 0n) => {
        const nonce = await read<bigint>(address, artifact, "nonce", []);
        const parameters = [...parametersOf(safeCall), nonce + ahead];
        return {
          hash: await read<Hash>(address, artifact, "getTransactionHash", parameters),
          data: await read<Hex>(address, artifact, "encodeTransactionData", parameters),
        };
      },
      executionTransaction: (safeCall, signatures) =>
        encodeCall(artifact, address, "execTransaction", [...parametersOf(safeCall), signatures]),
      messageHash: (data) => read<Hash>(handler, handlerArtifact, "getMessageHashForSafe", [address, data]),
    };
  };
};

/** Deploys the contract that makes several calls in one transaction (MultiSendCallOnly); returns a function that creates such a transaction. */
export const deployMultiSend = async (chain: TestChain) => {
  const artifact = load(`${safeGlobal}/libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json`);
  const address = await chain.deploy(artifact);
  return (...calls: readonly { readonly to: Address; readonly data: Hex }[]) =>
    encodeCall(artifact, address, "multiSend", [
      concatHex(calls.map(({ to, data }) => concatHex(["0x00", to, toHex(0, { size: 32 }), toHex(size(data), { size: 32 }), data]))),
    ]);
};

/** Mines a transaction in a separate block. @throws {Error} if it fails. */
export const mine = async (chain: TestChain, transaction: TestTransaction): Promise<Hash> => {
  const [hash] = await chain.send({ gas: 5_000_000n, ...transaction });
  await chain.mine();
  const { status } = await chain.rpc<{ status: Hex }>("eth_getTransactionReceipt", [hash]);
  if (hash === undefined || status !== "0x1") throw new Error(`Transaction ${hash} to ${transaction.to} failed`);
  return hash;
};
