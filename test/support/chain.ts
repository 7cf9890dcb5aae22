import { type ChildProcess, spawn } from "node:child_process";
import { createRequire } from "node:module";
import { type Abi, type Address, encodeDeployData, encodeFunctionData, type Hash, type Hex } from "viem";

const require = createRequire(import.meta.url);

/** A compiled contract from an npm package. */
export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

export interface TestTransaction {
  readonly from?: Address;
  readonly to?: Address;
  readonly data?: Hex;
  readonly value?: bigint;
  readonly gas?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
}

/** A dedicated anvil process without automine: transactions stay pending until `mine`. */
export interface TestChain {
  readonly url: string;
  /** Funded by the genesis block. */
  readonly accounts: readonly Address[];
  rpc<T>(method: string, params?: readonly unknown[]): Promise<T>;
  batch<T>(calls: readonly { readonly method: string; readonly params: readonly unknown[] }[]): Promise<T[]>;
  /** Sends transactions in order, in one request, and returns their hashes. */
  send(...transactions: readonly TestTransaction[]): Promise<Hash[]>;
  mine(timestamp?: number): Promise<void>;
  head(): Promise<number>;
  /** Deploys, mines, and returns the address. */
  deploy(artifact: Artifact, args?: readonly unknown[], from?: Address): Promise<Address>;
  stop(): Promise<void>;
}

/** Contracts from npm packages, by the names that the tests use. */
export const artifacts = {
  erc20: () => hardhat("openzeppelin-contracts-4/build/contracts/ERC20PresetMinterPauser.json"),
  erc721: () => hardhat("openzeppelin-contracts-4/build/contracts/ERC721PresetMinterPauserAutoId.json"),
  erc1155: () => hardhat("openzeppelin-contracts-4/build/contracts/ERC1155PresetMinterPauser.json"),
  weth: () => waffle("@uniswap/v2-periphery/build/WETH9.json"),
};

const hardhat = (path: string): Artifact => {
  const { abi, bytecode } = require(path) as { abi: Abi; bytecode: Hex };
  return { abi, bytecode };
};

const waffle = (path: string): Artifact => {
  const artifact = require(path) as { abi: Abi; evm: { bytecode: { object: string } } };
  return { abi: artifact.abi, bytecode: `0x${artifact.evm.bytecode.object}` };
};

/** Starts the platform's anvil binary on a port that the system assigns; the port is read from the process's output. */
export const startTestChain = async (options: { readonly args?: readonly string[] } = {}): Promise<TestChain> => {
  const child = spawn(
    binary(),
    [
      "--host",
      "127.0.0.1",
      "--port",
      "0",
      "--no-mining",
      "--auto-impersonate",
      "--order",
      "fifo",
      "--timestamp",
      "1700000000",
      ...(options.args ?? []),
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const url = await waitForUrl(child);
  let nextId = 1;
  const post = async (body: unknown): Promise<unknown> => {
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
    return response.json();
  };
  const batch = async <T>(calls: readonly { readonly method: string; readonly params: readonly unknown[] }[]): Promise<T[]> => {
    if (calls.length === 0) return [];
    const first = nextId;
    nextId += calls.length;
    const responses = (await post(calls.map((call, index) => ({ jsonrpc: "2.0", id: first + index, ...call })))) as RpcResponse[];
    const byId = new Map(responses.map((response) => [response.id, response]));
    return calls.map((call, index) => {
      const response = byId.get(first + index);
      if (response === undefined || response.error !== undefined)
        throw new Error(`${call.method}: ${response?.error?.message ?? "no response"}`);
      return response.result as T;
    });
  };
  const rpc = async <T>(method: string, params: readonly unknown[] = []): Promise<T> => (await batch<T>([{ method, params }]))[0] as T;
  const accounts = await rpc<Address[]>("eth_accounts");
  const sender = accounts[0] as Address;
  const send = (...transactions: readonly TestTransaction[]) =>
    batch<Hash>(transactions.map((transaction) => ({ method: "eth_sendTransaction", params: [toRpc({ from: sender, ...transaction })] })));
  const mine = async (timestamp?: number) => {
    await rpc("evm_mine", timestamp === undefined ? [] : [`0x${timestamp.toString(16)}`]);
  };
  return {
    url,
    accounts,
    rpc,
    batch,
    send,
    mine,
    head: async () => Number(await rpc<Hex>("eth_blockNumber")),
    deploy: async (artifact, args = [], from = sender) => {
      const [hash] = await send({
        from,
        data: encodeDeployData({ abi: artifact.abi, bytecode: artifact.bytecode, args }),
        gas: 8_000_000n,
      });
      await mine();
      const receipt = await rpc<{ contractAddress: Address; status: Hex }>("eth_getTransactionReceipt", [hash]);
      if (receipt.status !== "0x1") throw new Error(`Contract deployment failed in transaction ${hash}`);
      return receipt.contractAddress;
    },
    stop: () => killProcess(child),
  };
};

interface RpcResponse {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** Returns the fields for a transaction that calls a contract. */
export const encodeCall = (
  artifact: Artifact,
  to: Address,
  functionName: string,
  args: readonly unknown[] = [],
): { to: Address; data: Hex } => ({
  to,
  data: encodeFunctionData({ abi: artifact.abi, functionName, args }),
});

const toRpc = (transaction: TestTransaction): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries({ gas: 1_000_000n, ...transaction }).map(([key, value]) => [
      key,
      typeof value === "bigint" ? `0x${value.toString(16)}` : value,
    ]),
  );

const platforms: Readonly<Record<string, string>> = {
  "linux-x64": "anvil-linux-amd64/bin/anvil",
  "linux-arm64": "anvil-linux-arm64/bin/anvil",
  "darwin-x64": "anvil-darwin-amd64/bin/anvil",
  "darwin-arm64": "anvil-darwin-arm64/bin/anvil",
  "win32-x64": "anvil-win32-amd64/bin/anvil.exe",
};

/** Returns the path of the binary itself, because the package's launcher leaves a second process behind. */
const binary = (): string => {
  const path = platforms[`${process.platform}-${process.arch}`];
  if (path === undefined) throw new Error(`No anvil binary for ${process.platform}-${process.arch}`);
  return require.resolve(`@foundry-rs/${path}`);
};

const waitForUrl = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let output = "";
    const onData = (chunk: Buffer) => {
      output += chunk.toString();
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (port === undefined) return;
      // Later output is discarded: a full pipe would block the node.
      child.stdout?.off("data", onData).resume();
      resolve(`http://127.0.0.1:${port}`);
    };
    child.stdout?.on("data", onData);
    child.stderr?.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`anvil exited with code ${code}: ${output.slice(-500)}`)));
  });

const killProcess = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
