import { type Address, encodeDeployData, type Hash, type Hex } from "viem";
import { type Artifact, call, type TestChain, type TestTransaction } from "../chain.ts";

/** A deployed contract with what its calls look like. */
export interface Deployed {
  readonly address: Address;
  /** A call of it as a transaction's fields. */
  call(name: string, ...parameters: readonly unknown[]): { readonly to: Address; readonly data: Hex };
}

/** Tells a story on a chain, and sees that everything in it went as it was meant to. */
export interface Teller {
  readonly chain: TestChain;
  readonly artifact: (name: string) => Artifact;
  deploy(name: string, parameters?: readonly unknown[], value?: bigint): Promise<Deployed>;
  /** One block of transactions, all of which succeed. @throws where one fails */
  block(...transactions: readonly TestTransaction[]): Promise<Hash[]>;
  /** One block of transactions, all of which fail. @throws where one succeeds */
  failingBlock(...transactions: readonly TestTransaction[]): Promise<Hash[]>;
  /** Mines what was sent by other means. @throws where one of these failed */
  mined(...hashes: readonly Hash[]): Promise<void>;
}

interface Receipt {
  readonly status: Hex;
  readonly contractAddress: Address;
  readonly blockNumber: Hex;
}

/** A teller of stories on a chain. */
export function createTeller(chain: TestChain, artifact: (name: string) => Artifact): Teller {
  const expectStatus = async (hashes: readonly Hash[], status: Hex): Promise<Receipt[]> => {
    const receipts = await chain.batch<Receipt | null>(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })));
    receipts.forEach((receipt, position) => {
      if (receipt?.status !== status) throw new Error(`Transaction ${position}: status ${receipt?.status ?? "not mined"}, not ${status}.`);
    });
    return receipts as Receipt[];
  };
  const tell = async (transactions: readonly TestTransaction[], status: Hex): Promise<Hash[]> => {
    const hashes = await chain.send(...transactions);
    await chain.mine();
    await expectStatus(hashes, status);
    return hashes;
  };
  return {
    chain,
    artifact,
    deploy: async (name, parameters = [], value = 0n) => {
      const used = artifact(name);
      const data = encodeDeployData({ abi: used.abi, bytecode: used.bytecode, args: parameters });
      // A name of 10 kB fills 320 words of storage.
      const hashes = await chain.send({ data, value, gas: 12_000_000n });
      await chain.mine();
      const address = (await expectStatus(hashes, "0x1"))[0]?.contractAddress.toLowerCase() as Address;
      return { address, call: (functionName, ...rest) => call(used, address, functionName, rest) };
    },
    block: (...transactions) => tell(transactions, "0x1"),
    failingBlock: (...transactions) => tell(transactions, "0x0"),
    mined: async (...hashes) => {
      await chain.mine();
      await expectStatus(hashes, "0x1");
    },
  };
}
