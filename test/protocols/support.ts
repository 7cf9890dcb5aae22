import { existsSync, readFileSync } from "node:fs";
import { type Abi, decodeFunctionResult, encodeDeployData } from "viem";
import { expect } from "vitest";
import type { Address, Hex } from "../../runtime/lib/hex.ts";
import { type Artifact, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../support/chain.ts";
import { multicallAddress, multicallCode } from "../support/multicall.ts";

interface StoredArtifact {
  readonly abi: Abi;
  readonly bytecode: string;
  /** Each library address's positions in the bytecode, by file and library. */
  readonly linkReferences?: Readonly<Record<string, Readonly<Record<string, readonly { readonly start: number }[]>>>>;
}

/** Reads a compiled contract from one of this folder's packages and links its libraries. @throws {Error} if the packages are not installed. */
export const artifactOf = (path: string, libraries: Readonly<Record<string, Address>> = {}): Artifact => {
  const file = new URL(`node_modules/${path}`, import.meta.url);
  if (!existsSync(file)) throw new Error(`Missing ${path} in test/protocols/node_modules: run node test/protocols/install.js.`);
  const { abi, bytecode, linkReferences = {} } = JSON.parse(readFileSync(file, "utf8")) as StoredArtifact;
  let code = bytecode.replace(/^0x/, "");
  for (const [name, positions] of Object.values(linkReferences).flatMap((references) => Object.entries(references))) {
    const address = libraries[name]?.slice(2);
    if (address === undefined) throw new Error(`Missing library ${name} for ${path}.`);
    for (const { start } of positions) code = code.slice(0, 2 * start) + address + code.slice(2 * start + 40);
  }
  return { abi, bytecode: `0x${code}` };
};

interface Receipt {
  readonly status: Hex;
  readonly contractAddress: Address;
  readonly logs: readonly { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }[];
}

/** A chain for large contracts, with functions that fail unless transactions succeed. */
export interface ProtocolChain {
  readonly chain: TestChain;
  deploy(artifact: Artifact, args?: readonly unknown[]): Promise<Address>;
  /** Sends transactions, by default from the first account, mines them in one block, and requires that they succeed. */
  execute(...transactions: readonly TestTransaction[]): Promise<Receipt[]>;
  receiptsOf(hashes: readonly Hex[]): Promise<Receipt[]>;
  /** Calls a view function as of a block, by default the newest one. */
  read<Result>(artifact: Artifact, to: Address, name: string, args?: readonly unknown[], options?: ReadOptions): Promise<Result>;
}

interface ReadOptions {
  readonly height?: number;
  readonly from?: Address;
}

/** Starts a chain with a gas limit high enough to deploy the protocols' contracts. */
export const startProtocolChain = async (): Promise<ProtocolChain> => {
  const chain = await startTestChain({ args: ["--gas-limit", "500000000"] });
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  const receiptsOf: ProtocolChain["receiptsOf"] = (hashes) =>
    chain.batch<Receipt>(hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })));
  const execute: ProtocolChain["execute"] = async (...transactions) => {
    const hashes = await chain.send(...transactions.map((transaction) => ({ gas: 15_000_000n, ...transaction })));
    await chain.mine();
    const receipts = await receiptsOf(hashes);
    for (const [position, { status }] of receipts.entries())
      expect(status, `transaction ${position} with ${transactions[position]?.data?.slice(0, 10)}`).toBe("0x1");
    return receipts;
  };
  return {
    ...{ chain, execute, receiptsOf },
    deploy: async ({ abi, bytecode }, args = []) => {
      const [receipt] = await execute({ data: encodeDeployData({ abi, bytecode, args }) });
      return (receipt as Receipt).contractAddress;
    },
    read: async <Result>(artifact: Artifact, to: Address, name: string, args: readonly unknown[] = [], options: ReadOptions = {}) => {
      const { height, from } = options;
      const at = height === undefined ? "latest" : `0x${height.toString(16)}`;
      const data = await chain.rpc<Hex>("eth_call", [
        { ...encodeCall(artifact, to, name, args), ...(from === undefined ? {} : { from }) },
        at,
      ]);
      return decodeFunctionResult({ abi: artifact.abi, functionName: name, data }) as Result;
    },
  };
};

/** Expects a number up to double precision, or null. */
export const expectNear = (actual: unknown, expected: number | null, label = ""): void => {
  if (expected === null) expect(actual, label).toBeNull();
  else expect(Math.abs((actual as number) - expected), label).toBeLessThanOrEqual(1e-12 * Math.max(1, Math.abs(expected)));
};
