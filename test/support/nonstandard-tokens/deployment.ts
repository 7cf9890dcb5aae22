import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Address, decodeFunctionResult, encodeDeployData, encodeFunctionData, type Hash, type Hex, zeroAddress } from "viem";
import { mnemonicToAccount } from "viem/accounts";
import { type ChainConfig, chainConfigSchema } from "../../../runtime/config/config.ts";
import { type Artifact, startTestChain, type TestChain } from "../chain.ts";
import { compileFolder } from "../edge-cases/compile.ts";
import { multicallAddress, multicallCode } from "../multicall.ts";
import type { Field, TestToken } from "./token-kind.ts";
import { tokenKinds } from "./token-kinds.ts";

const chainId = 31337;
/** The last fork before Cancun: SELFDESTRUCT still removes a contract (EIP-6780). */
const fork = "shanghai";
const firstTimestamp = 1_700_000_000;
const secondsPerBlock = 12;
const deploymentsPerBlock = 6;
/** Anvil's default mnemonic: the genesis block funds its accounts. */
const mnemonic = "test test test test test test test test test test test junk";

/** A chain with one deployed token of each kind. */
export interface TokenChain {
  readonly chain: TestChain;
  /** The chain's settings. */
  readonly config: ChainConfig;
  readonly accounts: readonly Address[];
  readonly tokens: readonly TestToken[];
  readonly reentrantReceiver: Address;
  /** The head's timestamp. */
  timestamp(): number;
  /** Mines the sent transactions in one block, 12 seconds after the previous one. */
  mine(): Promise<void>;
  sign(owner: Address, token: TestToken, name: string, primaryType: "Permit", fields: readonly Field[]): Promise<Hex>;
  read(token: TestToken, functionName: string, args: readonly unknown[]): Promise<unknown>;
  /** A folder with a configuration file, for commands. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** Starts a node and deploys one token of each kind. Addresses and timestamps are the same in every run. */
export const startTokenChain = async (): Promise<TokenChain> => {
  const artifact = await compileFolder(fileURLToPath(new URL(".", import.meta.url)), fork);
  const chain = await startTestChain({ args: ["--chain-id", String(chainId), "--hardfork", fork] });
  const folder = await mkdtemp(join(tmpdir(), "ashlar-nonstandard-tokens-"));
  const stop = async (): Promise<void> => {
    await chain.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    let timestamp = firstTimestamp;
    const mine = async (): Promise<void> => {
      timestamp += secondsPerBlock;
      await chain.mine(timestamp);
    };
    await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
    const accounts = chain.accounts.slice(0, 8).map((address) => address.toLowerCase() as Address);
    const { tokens, reentrantReceiver } = await deployAll(chain, artifact, mine);
    const config = {
      ...chainConfigSchema.parse({
        name: "odd",
        id: chainId,
        rpc: chain.url,
        groups: ["historical"],
        nativeAccounting: "traces",
        pollMilliseconds: 100,
      }),
      id: chainId,
    };
    // JSON is YAML.
    await writeFile(join(folder, "ashlar.yaml"), JSON.stringify({ chains: [config] }));
    const read = async ({ artifact: { abi }, address }: TestToken, functionName: string, args: readonly unknown[]): Promise<unknown> => {
      const data = await chain.rpc<Hex>("eth_call", [{ to: address, data: encodeFunctionData({ abi, functionName, args }) }, "latest"]);
      return decodeFunctionResult({ abi, functionName, data });
    };
    const signers = new Map(accounts.map((address, addressIndex) => [address, mnemonicToAccount(mnemonic, { addressIndex })]));
    const sign: TokenChain["sign"] = async (owner, token, name, primaryType, fields) => {
      const account = signers.get(owner);
      if (account === undefined) throw new Error(`No private key for ${owner}`);
      return account.signTypedData({
        domain: { name, version: "1", chainId, verifyingContract: token.address },
        types: { [primaryType]: fields.map(({ name: field, type }) => ({ name: field, type })) },
        primaryType,
        message: Object.fromEntries(fields.map(({ name: field, value }) => [field, value])),
      });
    };
    return { chain, config, accounts, tokens, reentrantReceiver, timestamp: () => timestamp, mine, sign, read, folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

interface Receipt {
  readonly status: Hex;
  readonly contractAddress: Address;
}

const deployAll = async (chain: TestChain, artifact: (name: string) => Artifact, mine: () => Promise<void>) => {
  const addresses = new Map<string, Address>();
  const addressOf = (name: string): Address => addresses.get(name) ?? zeroAddress;
  const argsOf = (name: string): readonly Address[] =>
    name === "Vault" ? [addressOf("Plain")] : name === "Proxy" ? [addressOf("UpgradeBefore")] : [];
  const deploy = async (names: readonly string[]): Promise<void> => {
    const hashes = await chain.send(
      ...names.map((name) => {
        const { abi, bytecode } = artifact(name);
        return { data: encodeDeployData({ abi, bytecode, args: argsOf(name) }), gas: 5_000_000n };
      }),
    );
    await mine();
    const receipts = await chain.batch<Receipt | null>(
      hashes.map((hash: Hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
    );
    receipts.forEach((receipt, position) => {
      if (receipt?.status !== "0x1") throw new Error(`Failed to deploy ${names[position]}`);
      addresses.set(names[position] as string, receipt.contractAddress.toLowerCase() as Address);
    });
  };
  // TwoAddresses creates SecondAddress.
  const names = ["ReentrantReceiver", ...tokenKinds.map(({ name }) => name)].filter((name) => name !== "SecondAddress");
  for (let first = 0; first < names.length; first += deploymentsPerBlock) await deploy(names.slice(first, first + deploymentsPerBlock));
  const { abi } = artifact("TwoAddresses");
  const data = encodeFunctionData({ abi, functionName: "second" });
  const second = await chain.rpc<Hex>("eth_call", [{ to: addressOf("TwoAddresses"), data }, "latest"]);
  addresses.set("SecondAddress", `0x${second.slice(26)}`);
  const tokens = tokenKinds.map((kind): TestToken => {
    const ownArtifact = artifact(kind.name);
    // A proxy has its own functions and its implementation's.
    const usedArtifact =
      kind.name === "Proxy" ? { ...ownArtifact, abi: [...ownArtifact.abi, ...artifact("UpgradeBefore").abi] } : ownArtifact;
    return { kind, address: addressOf(kind.name), artifact: usedArtifact };
  });
  return { tokens, reentrantReceiver: addressOf("ReentrantReceiver") };
};
