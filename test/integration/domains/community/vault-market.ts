import type { createRandom } from "../../../../demo/story/random.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { encodeCall, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { multicallAddress, multicallCode } from "../../../support/multicall.ts";
import { contracts } from "./contracts.ts";

type Random = ReturnType<typeof createRandom>;

/** A factory with vaults for one asset, and accounts that use them. */
export interface Market {
  readonly asset: Address;
  readonly factory: Address;
  readonly vaults: Address[];
  /** A deposit into the first vault. */
  deposit(from: Address, assets: bigint): TestTransaction;
  /** A random deposit or withdrawal, or a donation, which emits no vault event; some fail. */
  randomTransaction(random: Random): TestTransaction;
}

/** Adds a vault; `withDeposit` deposits in the transaction that announces it. */
export const createVault = async (
  chain: TestChain,
  { asset, factory, vaults }: Pick<Market, "asset" | "factory" | "vaults">,
  withDeposit = false,
): Promise<void> => {
  const [hash] = await chain.send({
    ...encodeCall(contracts("Factory"), factory, withDeposit ? "createWithDeposit" : "create", withDeposit ? [asset, 1_000n] : [asset]),
    gas: 5_000_000n,
  });
  await chain.mine();
  const { logs } = await chain.rpc<{ logs: { address: Address; topics: Hex[] }[] }>("eth_getTransactionReceipt", [hash]);
  const announcement = logs.find(({ address }) => address === factory);
  const vault: Address = `0x${announcement?.topics[1]?.slice(26)}`;
  vaults.push(vault);
  await chain.send(
    ...chain.accounts.slice(0, 4).map((from) => ({ from, ...encodeCall(contracts("Asset"), asset, "approve", [vault, 2n ** 255n]) })),
  );
  await chain.mine();
};

/** Deploys the asset, the factory and two vaults. */
export const startMarket = async (chain: TestChain): Promise<Market> => {
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  const people = chain.accounts.slice(0, 4) as Address[];
  const factory = await chain.deploy(contracts("Factory"));
  const asset = await chain.deploy(contracts("Asset"));
  for (const to of people) await chain.send(encodeCall(contracts("Asset"), asset, "mint", [to, 10n ** 24n]));
  await chain.send(encodeCall(contracts("Asset"), asset, "approve", [factory, 2n ** 255n]));
  await chain.mine();
  const vaults: Address[] = [];
  for (let count = 0; count < 2; count += 1) await createVault(chain, { asset, factory, vaults });
  const callVault = (from: Address, vault: Address, name: string, args: readonly unknown[]) => ({
    from,
    ...encodeCall(contracts("Vault"), vault, name, args),
  });
  return {
    asset,
    factory,
    vaults,
    deposit: (from, assets) => callVault(from, vaults[0] as Address, "deposit", [assets, from]),
    randomTransaction: (random) => {
      const [from, to, vault] = [random.pick(people), random.pick(people), random.pick(vaults)];
      const amount = BigInt(random.between(1, 1_000_000));
      return random.pick<TestTransaction>([
        callVault(from, vault, "deposit", [amount, to]),
        callVault(from, vault, "deposit", [amount, from]),
        callVault(from, vault, "mint", [amount, to]),
        callVault(from, vault, "withdraw", [amount / 8n, to, from]),
        callVault(from, vault, "redeem", [amount / 16n, from, from]),
        { from, ...encodeCall(contracts("Asset"), asset, "transfer", [vault, amount / 3n]) },
      ]);
    },
  };
};
