import { type Abi, decodeEventLog, encodeFunctionData } from "viem";
import type { createRandom } from "../../../../../demo/story/random.ts";
import { type Address, type Hash, type Hex, nativeTokenAddress, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { type Artifact, encodeCall, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { demoContracts } from "../../../../support/demo-contracts.ts";
import { multicallAddress, multicallCode } from "../../../../support/multicall.ts";
import { ownContracts } from "./contracts.ts";

type Random = ReturnType<typeof createRandom>;

/** A pool with its coins and its pool token. */
export interface StablePool {
  readonly address: Address;
  readonly artifact: Artifact;
  readonly coins: readonly Address[];
  readonly shares: Address;
}

/** Pools of each kind, and accounts that use them. */
export interface StableMarket {
  /** `dollar` and `euro` have 6 and 18 decimals; `odd` has 2. */
  readonly tokens: Readonly<Record<"dollar" | "euro" | "odd", Address>>;
  readonly registry: Address;
  readonly router: Address;
  /** `plain` is its own pool token; `ether` has the native currency; `base` has signed indices and is in the registry; `empty` has no liquidity. */
  readonly plain: StablePool;
  readonly ether: StablePool;
  readonly base: StablePool;
  readonly empty: StablePool;
  readonly hostile: Address;
  readonly pools: readonly StablePool[];
  readonly people: readonly Address[];
  callPool(from: Address, pool: StablePool, name: string, args: readonly unknown[], value?: bigint): TestTransaction;
  /** A random exchange, addition or removal; some fail. */
  randomTransaction(random: Random): TestTransaction;
}

const toLower = (address: string): Address => address.toLowerCase() as Address;
const unlimited = 2n ** 255n;
const amplification = 100n;
const gas = 3_000_000n;

/** Deploys the tokens, the registry and the pools, and adds liquidity to all but the empty one. */
export const startStableMarket = async (chain: TestChain): Promise<StableMarket> => {
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  const people = chain.accounts.slice(0, 4).map(toLower);
  const [owner] = people as [Address];
  const deploy = async (artifact: Artifact, args: readonly unknown[] = []) => toLower(await chain.deploy(artifact, args));
  const deployToken = (name: string, decimals: number) =>
    deploy(demoContracts("CustomDecimalsToken"), [name, name.toUpperCase(), decimals, 10n ** BigInt(decimals + 12)]);
  const tokens = { dollar: await deployToken("dollar", 6), euro: await deployToken("euro", 18), odd: await deployToken("odd", 2) };
  const all = Object.values(tokens);
  const registry = await deploy(demoContracts("StableSwapRegistry"));
  const router = await deploy(ownContracts("PoolRouter"));
  const { dollar, euro, odd } = tokens;
  const deployPool = async (name: string, coins: readonly Address[], ...more: readonly unknown[]): Promise<StablePool> => {
    const artifact = demoContracts(name);
    const address = await deploy(artifact, [name, "LP", coins, amplification, ...more]);
    const view = async (to: Address, abi: Abi, functionName: string, args: readonly unknown[] = []): Promise<Address> => {
      const result = await chain.rpc<Hex>("eth_call", [{ to, data: encodeFunctionData({ abi, functionName, args }) }, "latest"]);
      return `0x${result.slice(-40)}`;
    };
    const shares =
      name === "PlainStableSwap"
        ? address
        : name === "EtherStableSwap"
          ? await view(address, artifact.abi, "lp_token")
          : await view(registry, demoContracts("StableSwapRegistry").abi, "get_lp_token", [address]);
    return { address, artifact, coins, shares };
  };
  const plain = await deployPool("PlainStableSwap", [dollar, euro]);
  const ether = await deployPool("EtherStableSwap", [nativeTokenAddress, euro]);
  const base = await deployPool("BaseStableSwap", [dollar, euro, odd], registry);
  const empty = await deployPool("PlainStableSwap", [odd, euro]);
  const hostile = await deploy(ownContracts("HostilePool"));
  const token = demoContracts("CustomDecimalsToken");
  const pools = [plain, ether, base, empty];
  await chain.send(
    ...people
      .slice(1)
      .flatMap((to) =>
        all.map((address, position) => encodeCall(token, address, "transfer", [to, 10n ** BigInt([16, 28, 12][position] ?? 0)])),
      ),
    ...people.flatMap((from) =>
      all.flatMap((address) =>
        [router, ...pools.map((pool) => pool.address)].map((spender) => ({
          from,
          ...encodeCall(token, address, "approve", [spender, unlimited]),
        })),
      ),
    ),
  );
  await chain.mine();
  const callPool: StableMarket["callPool"] = (from, pool, name, args, value = 0n) => ({
    from,
    gas,
    value,
    ...encodeCall(pool.artifact, pool.address, name, args),
  });
  const inSmallestUnits = (address: Address, amount: number): bigint => {
    const decimals = address === dollar ? 6 : address === odd ? 2 : 18;
    return BigInt(amount) * 10n ** BigInt(decimals);
  };
  const valueFor = (pool: StablePool, amounts: readonly bigint[]): bigint =>
    pool.coins[0] === nativeTokenAddress ? (amounts[0] ?? 0n) : 0n;
  await chain.send(
    ...[plain, ether, base].map((pool) => {
      const amounts = pool.coins.map((coin) => inSmallestUnits(coin, 1_000));
      return callPool(owner, pool, "add_liquidity", [amounts, 0n], valueFor(pool, amounts));
    }),
  );
  // The registry has no pool token for the empty pool.
  await chain.send(
    encodeCall(demoContracts("StableSwapRegistry"), registry, "add_pool", [empty.address, zeroAddress]),
    encodeCall(ownContracts("HostilePool"), hostile, "emitLargest"),
    encodeCall(ownContracts("HostilePool"), hostile, "emitTruncated"),
  );
  await chain.mine();
  const randomTransaction = (random: Random): TestTransaction => {
    const [from, pool] = [random.pick(people), random.pick([plain, ether, base])];
    const amounts = pool.coins.map((coin) => (inSmallestUnits(coin, random.between(0, 60)) * BigInt(random.between(900, 999))) / 1000n);
    const i = random.between(0, pool.coins.length - 1);
    const j = (i + 1) % pool.coins.length;
    const sold = amounts[i] ?? 0n;
    const shares = (10n ** 18n * BigInt(random.between(1, 5_000))) / 1000n;
    return random.pick<TestTransaction>([
      callPool(from, pool, "exchange", [BigInt(i), BigInt(j), sold, 0n], i === 0 ? valueFor(pool, amounts) : 0n),
      callPool(from, pool, "exchange", [BigInt(j), BigInt(i), amounts[j], 0n], j === 0 ? valueFor(pool, amounts) : 0n),
      callPool(from, pool, "add_liquidity", [amounts, 0n], valueFor(pool, amounts)),
      callPool(from, pool, "remove_liquidity", [shares]),
      callPool(from, pool, "remove_liquidity_one_coin", [shares, BigInt(i), 0n]),
      callPool(from, pool, "remove_liquidity_imbalance", [amounts.map((amount) => amount / 20n), unlimited]),
    ]);
  };
  return { tokens, registry, router, plain, ether, base, empty, hostile, pools, people, callPool, randomTransaction };
};

/** A pool event in the node's logs. */
export interface PoolLog {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly block: number;
  readonly index: number;
  readonly transaction: Hash;
  readonly pool: StablePool;
}

/** All pool events except transfers and approvals, in order. */
export const poolLogs = async (chain: TestChain, pools: readonly StablePool[]): Promise<PoolLog[]> => {
  const logs = await chain.rpc<
    { blockNumber: Hex; logIndex: Hex; transactionHash: Hash; address: Address; topics: [Hex, ...Hex[]]; data: Hex }[]
  >("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", address: pools.map(({ address }) => address) }]);
  return logs.flatMap(({ blockNumber, logIndex, transactionHash, address, topics, data }) => {
    const pool = pools.find((candidate) => candidate.address === address) as StablePool;
    const { eventName, args } = decodeEventLog({ abi: pool.artifact.abi, topics, data }) as unknown as {
      eventName: string;
      args: PoolLog["args"];
    };
    const isPoolEvent = !["Transfer", "Approval"].includes(eventName);
    return isPoolEvent
      ? [{ name: eventName, args, block: Number(blockNumber), index: Number(logIndex), transaction: transactionHash, pool }]
      : [];
  });
};
