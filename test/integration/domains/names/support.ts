import { createRequire } from "node:module";
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hash,
  type Hex,
  keccak256,
  stringToBytes,
  zeroHash,
} from "viem";
import { namehash } from "viem/ens";
import { type Artifact, encodeCall, type TestChain, type TestTransaction } from "../../../support/chain.ts";

const require = createRequire(import.meta.url);
const load = (path: string): Artifact => {
  const { abi, bytecode } = require(path) as { abi: Abi; bytecode: Hex };
  return { abi, bytecode };
};

/** The contracts first deployed for EIP-137, from their packages. */
const nameArtifacts = {
  registry: () => load("@ensdomains/ens/build/contracts/ENSRegistry.json"),
  reverseRegistrar: () => load("@ensdomains/ens/build/contracts/ReverseRegistrar.json"),
  resolver: () => load("@ensdomains/resolver/build/contracts/PublicResolver.json"),
};

/** A registry on a test chain whose root is owned by the chain's first account, with two resolvers and a reverse registrar. */
export interface NameService {
  readonly registry: Address;
  readonly resolver: Address;
  readonly otherResolver: Address;
  /** Makes the first account the owner of a name, whose parents it must own, and sets the name's resolver. */
  register(name: string, resolver?: Address | null): Promise<void>;
  setAddress(name: string, account: Address, resolver?: Address): Promise<void>;
  /** Claims a name for an account, in a transaction from that account. */
  claim(account: Address, name: string): Promise<void>;
  /** Resolves a name on the node with the registry's resolver; null if the name has no resolver or no address. */
  resolveOnChain(name: string): Promise<Address | null>;
}

const zeroAddress = `0x${"0".repeat(40)}`;

export const deployNames = async (chain: TestChain): Promise<NameService> => {
  const ens = nameArtifacts.registry();
  const resolverArtifact = nameArtifacts.resolver();
  const reverseRegistrar = nameArtifacts.reverseRegistrar();
  const owner = chain.accounts[0] as Address;
  const registry = await chain.deploy(ens);
  const resolver = await chain.deploy(resolverArtifact, [registry]);
  const otherResolver = await chain.deploy(resolverArtifact, [registry]);
  const registrar = await chain.deploy(reverseRegistrar, [registry, resolver]);
  const child = (parent: Hash, label: string, to: Address) =>
    encodeCall(ens, registry, "setSubnodeOwner", [parent, keccak256(stringToBytes(label)), to]);
  /** Sends transactions in one block. @throws {Error} if one of them fails. */
  const mineTransactions = async (...transactions: readonly TestTransaction[]) => {
    const hashes = await chain.send(...transactions.map((transaction) => ({ ...transaction, gas: 8_000_000n })));
    await chain.mine();
    const receipts = await chain.batch<{ status: Hex }>(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })));
    const failed = receipts.findIndex(({ status }) => status !== "0x1");
    if (failed >= 0) throw new Error(`Transaction ${hashes[failed]} of the name service failed`);
  };
  await mineTransactions(child(zeroHash, "eth", owner), child(zeroHash, "reverse", owner), child(namehash("reverse"), "addr", registrar));

  const read = async (artifact: Artifact, to: Address, functionName: string, args: readonly unknown[]) => {
    const data = encodeFunctionData({ abi: artifact.abi, functionName, args });
    const result = await chain.rpc<Hex>("eth_call", [{ to, data }, "latest"]);
    return (decodeFunctionResult({ abi: artifact.abi, functionName, args, data: result }) as string).toLowerCase() as Address;
  };
  return {
    registry,
    resolver,
    otherResolver,
    register: async (name, target = resolver) => {
      const [label = "", ...parents] = name.split(".");
      const resolving = target === null ? [] : [encodeCall(ens, registry, "setResolver", [namehash(name), target])];
      await mineTransactions(child(namehash(parents.join(".")), label, owner), ...resolving);
    },
    setAddress: async (name, account, target = resolver) => {
      await mineTransactions(encodeCall(resolverArtifact, target, "setAddr", [namehash(name), account]));
    },
    claim: async (account, name) => {
      await mineTransactions({ from: account, ...encodeCall(reverseRegistrar, registrar, "setName", [name]) });
    },
    resolveOnChain: async (name) => {
      const current = await read(ens, registry, "resolver", [namehash(name)]);
      if (current === zeroAddress) return null;
      const address = await read(resolverArtifact, current, "addr", [namehash(name)]);
      return address === zeroAddress ? null : address;
    },
  };
};
