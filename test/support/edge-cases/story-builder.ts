import { type Address, encodeDeployData, type Hash, type Hex } from "viem";
import { type Artifact, encodeCall, type TestChain, type TestTransaction } from "../chain.ts";

/** A deployed contract and an encoder for its calls. */
export interface Deployed {
  readonly address: Address;
  /** Encodes a call as transaction fields. */
  call(name: string, ...parameters: readonly unknown[]): { readonly to: Address; readonly data: Hex };
}

/** Mines a story's transactions and verifies their status. */
export interface StoryBuilder {
  readonly chain: TestChain;
  readonly artifact: (name: string) => Artifact;
  deploy(name: string, parameters?: readonly unknown[], value?: bigint): Promise<Deployed>;
  /** Mines one block of transactions. @throws {Error} if one fails. */
  mineBlock(...transactions: readonly TestTransaction[]): Promise<Hash[]>;
  /** Mines one block of transactions that are expected to fail. @throws {Error} if one succeeds. */
  mineFailingBlock(...transactions: readonly TestTransaction[]): Promise<Hash[]>;
  /** Mines transactions that were sent directly. @throws {Error} if one fails. */
  mineSent(...hashes: readonly Hash[]): Promise<void>;
}

interface Receipt {
  readonly status: Hex;
  readonly contractAddress: Address;
  readonly blockNumber: Hex;
}

/** Creates a story builder for a chain. */
export function createStoryBuilder(chain: TestChain, artifact: (name: string) => Artifact): StoryBuilder {
  const expectStatus = async (hashes: readonly Hash[], status: Hex): Promise<Receipt[]> => {
    const receipts = await chain.batch<Receipt | null>(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })));
    receipts.forEach((receipt, position) => {
      if (receipt?.status !== status)
        throw new Error(`Transaction ${position} has status ${receipt?.status ?? "not mined"}; expected ${status}`);
    });
    return receipts as Receipt[];
  };
  const mine = async (transactions: readonly TestTransaction[], status: Hex): Promise<Hash[]> => {
    const hashes = await chain.send(...transactions);
    await chain.mine();
    await expectStatus(hashes, status);
    return hashes;
  };
  return {
    chain,
    artifact,
    deploy: async (name, parameters = [], value = 0n) => {
      const contract = artifact(name);
      const data = encodeDeployData({ abi: contract.abi, bytecode: contract.bytecode, args: parameters });
      // Enough for a 10 kB name, which takes 320 storage words.
      const hashes = await chain.send({ data, value, gas: 12_000_000n });
      await chain.mine();
      const address = (await expectStatus(hashes, "0x1"))[0]?.contractAddress.toLowerCase() as Address;
      return { address, call: (functionName, ...rest) => encodeCall(contract, address, functionName, rest) };
    },
    mineBlock: (...transactions) => mine(transactions, "0x1"),
    mineFailingBlock: (...transactions) => mine(transactions, "0x0"),
    mineSent: async (...hashes) => {
      await chain.mine();
      await expectStatus(hashes, "0x1");
    },
  };
}
