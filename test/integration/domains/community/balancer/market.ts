import { decodeFunctionResult, type Hex } from "viem";
import type { createRandom } from "../../../../../demo/story/random.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { type Artifact, encodeCall, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { demoContracts } from "../../../../support/demo-contracts.ts";
import { multicallAddress, multicallCode } from "../../../../support/multicall.ts";
import type { KnownToken } from "../operations.ts";
import { contracts } from "./contracts.ts";

type Random = ReturnType<typeof createRandom>;

/** A pool in the vault. */
export interface Pool extends KnownToken {
  readonly artifact: Artifact;
  readonly id: Hex;
  /** In the vault's order; a composable pool has its own shares among them. */
  readonly tokens: readonly Address[];
}

/** A vault with pools, and accounts that use them. */
export interface PoolMarket {
  readonly vault: Address;
  readonly router: Address;
  readonly tokens: readonly KnownToken[];
  readonly pools: readonly Pool[];
  readonly people: readonly Address[];
  /** Calls a view function as of a block. */
  read<Result>(artifact: Artifact, to: Address, name: string, args: readonly unknown[], height: number): Promise<Result>;
  /** A random join, exit, swap or asset-manager action, some of them through the router; some fail. */
  randomTransaction(random: Random): TestTransaction;
}

export const vaultArtifact = demoContracts("PoolVault");
const router = contracts("Router");
const coin = contracts("Coin");
const million = 10n ** 6n;

/** Deploys a vault with a two-token pool, a three-token pool and a composable one, each with a first join. The last token has no price. */
export const startPoolMarket = async (chain: TestChain): Promise<PoolMarket> => {
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  const people = chain.accounts.slice(0, 4) as Address[];
  const [first, second] = people as [Address, Address];
  const vault = await chain.deploy(vaultArtifact, [chain.accounts[9]]);
  const routerAddress = await chain.deploy(router, [vault]);
  const tokens: KnownToken[] = [];
  for (const [name, decimals, price] of [
    ["Gold", 18, 50],
    ["Dollar", 6, 1],
    ["Crown", 8, 1],
    ["Salt", 18, undefined],
  ] as const) {
    const address = await chain.deploy(coin, [name, decimals]);
    tokens.push({ address, name, decimals, ...(price === undefined ? {} : { price }) });
    for (const to of people) await chain.send(encodeCall(coin, address, "mint", [to, 1000n * million * 10n ** BigInt(decimals)]));
    for (const from of people)
      await chain.send(
        ...[vault, routerAddress].map((spender) => ({ from, ...encodeCall(coin, address, "approve", [spender, 2n ** 255n]) })),
      );
    await chain.mine();
  }
  const [gold, dollar, crown, salt] = tokens.map(({ address }) => address) as [Address, Address, Address, Address];
  const read: PoolMarket["read"] = async <Result>(
    artifact: Artifact,
    to: Address,
    name: string,
    args: readonly unknown[],
    height: number,
  ) => {
    const data = await chain.rpc<Hex>("eth_call", [encodeCall(artifact, to, name, args), `0x${height.toString(16)}`]);
    return decodeFunctionResult({ abi: artifact.abi, functionName: name, data }) as Result;
  };
  const pools: Pool[] = [];
  const addPool = async (contract: string, name: string, members: readonly Address[], amounts: readonly bigint[]): Promise<void> => {
    const artifact = demoContracts(contract);
    // The second account is the asset manager of the first token.
    const address = await chain.deploy(artifact, [vault, name, name, members, second]);
    const id = await read<Hex>(artifact, address, "getPoolId", [], await chain.head());
    const isComposable = contract === "ComposableVaultPool";
    pools.push({ artifact, address, id, name, decimals: 18, tokens: isComposable ? [...members, address] : members });
    const all = isComposable ? [...amounts, 0n] : amounts;
    await chain.send({ from: first, ...encodeCall(vaultArtifact, vault, "joinPool", [id, first, first, all, 0n]) });
    await chain.mine();
  };
  await addPool("WeightedVaultPool", "Gold Dollar", [gold, dollar], [1_000n * 10n ** 18n, 50_000n * million]);
  await addPool("WeightedVaultPool", "Gold Dollar Salt", [gold, dollar, salt], [10n ** 19n, 500n * million, 7n * 10n ** 18n]);
  await addPool("ComposableVaultPool", "Dollar Crown", [dollar, crown], [40_000n * million, 41_000n * 10n ** 8n]);
  for (const from of people) await chain.send({ from, ...encodeCall(vaultArtifact, vault, "setRelayerApproval", [routerAddress, true]) });
  await chain.mine();
  return {
    vault,
    router: routerAddress,
    tokens,
    pools,
    people,
    read,
    randomTransaction: createTransactions({ vault, routerAddress, pools, people }),
  };
};

/** Returns a function that creates random transactions. The pools are in order of creation. */
const createTransactions = ({
  vault,
  routerAddress,
  pools,
  people,
}: Pick<PoolMarket, "vault" | "pools" | "people"> & { readonly routerAddress: Address }): PoolMarket["randomTransaction"] => {
  const [pair, , stable] = pools as [Pool, Pool, Pool];
  const [gold, dollar] = pair.tokens as [Address, Address];
  const crown = stable.tokens[1] as Address;
  const paths: readonly { readonly ids: readonly Hex[]; readonly path: readonly Address[]; readonly unit: bigint }[] = [
    { ids: [pair.id], path: [gold, dollar], unit: 10n ** 15n },
    { ids: [pair.id, stable.id], path: [gold, dollar, crown], unit: 10n ** 15n },
    { ids: [stable.id, pair.id], path: [crown, dollar, gold], unit: 10n ** 5n },
    { ids: [stable.id], path: [dollar, stable.address], unit: 1_000n },
    { ids: [stable.id], path: [stable.address, crown], unit: 10n ** 15n },
  ];
  return (random) => {
    const [from, other, pool, { ids, path, unit }] = [random.pick(people), random.pick(people), random.pick(pools), random.pick(paths)];
    const shares = BigInt(random.between(1, 1_000_000)) * 10n ** 12n;
    const amount = BigInt(random.between(1, 100_000)) * unit;
    const callVault = (sender: Address, name: string, args: readonly unknown[]): TestTransaction => ({
      from: sender,
      ...encodeCall(vaultArtifact, vault, name, args),
    });
    const throughRouter = (name: string, args: readonly unknown[]): TestTransaction => ({
      from,
      ...encodeCall(router, routerAddress, name, args),
    });
    return random.pick<TestTransaction>([
      callVault(from, "joinPool", [pool.id, from, from, [], shares]),
      callVault(from, "joinPool", [pool.id, from, other, [], shares]),
      callVault(from, "exitPool", [pool.id, from, from, shares / 2n]),
      callVault(from, "exitPool", [pool.id, from, other, shares / 3n]),
      callVault(from, "swap", [ids, path, from, from, amount]),
      callVault(from, "swap", [ids, path, from, other, amount]),
      callVault(people[1] as Address, "managePoolBalance", [pool.id, pool.tokens[0], random.below(3), amount / 1000n]),
      throughRouter("swap", [ids.slice(0, 1), path.slice(0, 2), amount]),
      throughRouter("swapFor", [ids, path, other, amount]),
      throughRouter("joinFor", [pool.id, other, shares]),
      throughRouter("joinTwice", [pool.id, other, shares / 5n]),
      throughRouter("exitFor", [pool.id, other, from, shares / 4n]),
    ]);
  };
};
