import { encodeAbiParameters, parseAbi, toFunctionSelector } from "viem";
import type { createRandom } from "../../demo/story/random.ts";
import { type Address, type Hex, zeroAddress } from "../../runtime/lib/hex.ts";
import { contracts } from "../integration/domains/community/balancer/contracts.ts";
import type { KnownToken } from "../integration/domains/community/operations.ts";
import { type Artifact, encodeCall, type TestTransaction } from "../support/chain.ts";
import { artifactOf, type ProtocolChain } from "./support.ts";

type Random = ReturnType<typeof createRandom>;

const taskArtifact = (name: string, contract: string): Artifact =>
  artifactOf(`@balancer-labs/v2-deployments/dist/tasks/${name}/artifact/${contract}.json`);

const functionsOf = (functions: readonly string[]): Artifact => ({ abi: parseAbi(functions), bytecode: "0x" });

/** Pool view functions. The first weighted pools have no `getActualSupply`. */
export const poolViews = functionsOf([
  "function totalSupply() view returns (uint256)",
  "function getActualSupply() view returns (uint256)",
  "function balanceOf(address) view returns (uint256)",
]);

const collectorFunctions = functionsOf(["function getActionId(bytes4) view returns (bytes32)", "function setSwapFeePercentage(uint256)"]);

/** A pool in the real vault. */
export interface RealPool {
  readonly address: Address;
  readonly id: Hex;
  readonly kind: "first weighted" | "weighted" | "composable";
  /** In the vault's order; those of a composable pool include its own shares. */
  readonly tokens: readonly Address[];
}

/** The vault with a pool of each kind, and accounts that use them. */
export interface RealPoolMarket {
  readonly vault: Address;
  readonly tokens: readonly (KnownToken & { readonly decimals: number; readonly price: number })[];
  readonly pools: readonly RealPool[];
  readonly people: readonly Address[];
  /** An account's random join, exit or swap; some of them fail. */
  randomTransaction(random: Random): TestTransaction;
  /** Sets the protocol's share of swap fees to one half. */
  setProtocolFee(): Promise<void>;
  poolTokens(pool: RealPool, height: number): Promise<{ readonly held: [Address, bigint][]; readonly lastChangeBlock: number }>;
  /** The amounts that an account would receive for its shares in an exit, in the vault's token order. */
  queryExit(pool: RealPool, owner: Address, shares: bigint, height: number): Promise<readonly bigint[]>;
}

const unlimited = 2n ** 255n;

/** Deploys the vault, a version 1 weighted pool, a version 3 one, and a composable stable pool, each with a first join. */
export const startRealPoolMarket = async (world: ProtocolChain): Promise<RealPoolMarket> => {
  const { chain, deploy, execute, read } = world;
  const people = chain.accounts.slice(0, 3) as Address[];
  const [operator] = people as [Address];
  const authorizerArtifact = taskArtifact("20210418-authorizer", "Authorizer");
  const vaultArtifact = taskArtifact("20210418-vault", "Vault");
  const queriesArtifact = taskArtifact("20220721-balancer-queries", "BalancerQueries");
  const authorizer = await deploy(authorizerArtifact, [operator]);
  const vault = await deploy(vaultArtifact, [authorizer, await deploy(contracts("Coin"), ["Wrapped", 18]), 7_776_000n, 2_592_000n]);
  const feeArtifact = taskArtifact("20220725-protocol-fee-percentages-provider", "ProtocolFeePercentagesProvider");
  const provider = await deploy(feeArtifact, [vault, 10n ** 18n, 10n ** 18n]);
  const queries = await deploy(queriesArtifact, [vault]);
  const tokens = await deployTokens(world, vault, people);
  const addresses = tokens.map(({ address }) => address);
  const third = 10n ** 18n / 3n;
  const weights = [third, third, 10n ** 18n - 2n * third];
  const noRateProviders = [zeroAddress, zeroAddress, zeroAddress];
  const fee = 10n ** 16n;

  const addPool = async (kind: RealPool["kind"], factory: Artifact, factoryArgs: readonly unknown[], args: readonly unknown[]) => {
    const to = await deploy(factory, factoryArgs);
    const [receipt] = await execute(encodeCall(factory, to, "create", args));
    // The topic of PoolRegistered(bytes32,address,uint8).
    const registered = receipt?.logs.find(({ address, topics }) => address === vault && topics[0]?.startsWith("0x3c13bc30"));
    const id = registered?.topics[1] as Hex;
    const [held] = await read<[Address[], bigint[], bigint]>(vaultArtifact, vault, "getPoolTokens", [id]);
    const pool: RealPool = { address: id.slice(0, 42) as Address, id, kind, tokens: held.map(toLower) };
    const amounts = pool.tokens.map((token) => (token === pool.address ? 0n : 100_000n * unitOf(token)));
    await execute({ from: operator, ...join(pool, operator, operator, 0n, amounts) });
    return pool;
  };
  const unitOf = (token: Address): bigint => 10n ** BigInt(tokens.find(({ address }) => address === token)?.decimals ?? 18);
  const callVault = (name: string, args: readonly unknown[]) => ({ ...encodeCall(vaultArtifact, vault, name, args), gas: 3_000_000n });
  const join = ({ id, tokens: assets }: RealPool, sender: Address, recipient: Address, kind: bigint, amounts: readonly bigint[]) => {
    const maxAmountsIn = assets.map(() => unlimited);
    const types = [{ type: "uint256" }, { type: "uint256[]" }, { type: "uint256" }];
    const userData = encodeAbiParameters(types, [kind, amounts, 0n]);
    return callVault("joinPool", [id, sender, recipient, { assets, maxAmountsIn, userData, fromInternalBalance: false }]);
  };
  const exitRequest = ({ kind, tokens: assets }: RealPool, shares: bigint) => {
    const userData = encodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], [kind === "composable" ? 2n : 1n, shares]);
    return { assets, minAmountsOut: assets.map(() => 0n), userData, toInternalBalance: false };
  };

  const firstWeighted = taskArtifact("deprecated/20210418-weighted-pool", "WeightedPoolFactory");
  const weighted = taskArtifact("20230206-weighted-pool-v3", "WeightedPoolFactory");
  const composable = taskArtifact("20230206-composable-stable-pool-v3", "ComposableStablePoolFactory");
  const version = [vault, provider, "{}", "{}"];
  const pools = [
    await addPool("first weighted", firstWeighted, [vault], ["First", "First", addresses, weights, fee, operator]),
    await addPool("weighted", weighted, version, ["Third", "Third", addresses, weights, noRateProviders, fee, operator]),
    await addPool("composable", composable, version, [
      ...["Stable", "Stable", addresses, 200n, noRateProviders, [0n, 0n, 0n]],
      ...[[false, false, false], fee, operator],
    ]),
  ];

  const randomTransaction = (random: Random): TestTransaction => {
    const [pool, from, to, start] = [random.pick(pools), random.pick(people), random.pick(people), random.below(3)];
    const path = [0, 1, 2].map((step) => addresses[(start + step) % 3] as Address);
    const [tokenIn, middle, last] = path as [Address, Address, Address];
    const amount = BigInt(random.between(1, 5_000));
    const funds = { sender: from, fromInternalBalance: false, recipient: to, toInternalBalance: false };
    const given = pool.tokens.filter((token) => token !== pool.address).map((token) => BigInt(random.between(1, 5_000)) * unitOf(token));
    const [weightedPool, , stablePool] = pools as [RealPool, RealPool, RealPool];
    const swap = (poolId: Hex, assetInIndex: bigint, assetOutIndex: bigint, amountIn: bigint) => ({
      ...{ poolId, assetInIndex, assetOutIndex, amount: amountIn, userData: "0x" },
    });
    const assets = [tokenIn, middle, random.oneIn(2) ? stablePool.address : last];
    const steps = [swap(weightedPool.id, 0n, 1n, amount * unitOf(tokenIn)), swap(stablePool.id, 1n, 2n, 0n)];
    const single = { poolId: pool.id, kind: 0, assetIn: tokenIn, assetOut: middle, amount: amount * unitOf(tokenIn), userData: "0x" };
    return random.pick<TestTransaction>([
      { from, ...join(pool, from, to, 1n, given) },
      { from, ...callVault("exitPool", [pool.id, from, to, exitRequest(pool, amount * 10n ** 16n)]) },
      { from, ...callVault("swap", [single, funds, 0n, unlimited]) },
      { from, ...callVault("batchSwap", [0, steps, assets, funds, assets.map(() => 2n ** 254n), unlimited]) },
    ]);
  };
  return {
    ...{ vault, tokens, pools, people, randomTransaction },
    setProtocolFee: async () => {
      const collector = toLower(await read<Address>(vaultArtifact, vault, "getProtocolFeesCollector"));
      const action = await read<Hex>(collectorFunctions, collector, "getActionId", [toFunctionSelector("setSwapFeePercentage(uint256)")]);
      await execute(
        encodeCall(authorizerArtifact, authorizer, "grantRole", [action, operator]),
        encodeCall(collectorFunctions, collector, "setSwapFeePercentage", [5n * 10n ** 17n]),
      );
    },
    poolTokens: async ({ id }, height) => {
      const result = await read<[Address[], bigint[], bigint]>(vaultArtifact, vault, "getPoolTokens", [id], { height });
      const held = result[0].map((token, position): [Address, bigint] => [toLower(token), result[1][position] as bigint]);
      return { held, lastChangeBlock: Number(result[2]) };
    },
    queryExit: async (pool, owner, shares, height) => {
      const args = [pool.id, owner, owner, exitRequest(pool, shares)];
      return (await read<[bigint, bigint[]]>(queriesArtifact, queries, "queryExit", args, { height, from: owner }))[1];
    },
  };
};

const toLower = (address: Address): Address => address.toLowerCase() as Address;

/** Deploys three tokens, sorted by address, that the accounts have approved for the vault. */
const deployTokens = async ({ deploy, execute }: ProtocolChain, vault: Address, people: readonly Address[]) => {
  const tokens = [];
  for (const [name, decimals] of [["Gold", 18] as const, ["Dollar", 6] as const, ["Crown", 8] as const]) {
    const address = await deploy(contracts("Coin"), [name, decimals]);
    tokens.push({ address, name, decimals, price: 1 });
    await execute(
      ...people.map((to) => encodeCall(contracts("Coin"), address, "mint", [to, 10n ** BigInt(decimals + 9)])),
      ...people.map((from) => ({ from, ...encodeCall(contracts("Coin"), address, "approve", [vault, unlimited]) })),
    );
  }
  return tokens.sort((left, right) => (left.address < right.address ? -1 : 1));
};
