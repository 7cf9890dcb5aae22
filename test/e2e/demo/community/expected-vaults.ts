import { toEventSelector } from "viem";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { readAt } from "../../../integration/domains/community/ctokens/market.ts";
import type { Artifact } from "../../../support/chain.ts";
import { demoContracts } from "../../../support/demo-contracts.ts";
import { addressIn, blocksOf, type ExpectationContext, type ExpectedResponses, growthOf, itemsOf, newestOf } from "./expected.ts";

/** A vault, and how to read its contract. */
interface KnownVault {
  readonly artifact: Artifact;
  readonly address: Address;
  readonly asset: Address;
  readonly assetsView: string;
  /** Topics of the events after which the vault is read. */
  readonly events: readonly string[];
  /** The number of shares that the price is for; null for ERC-4626 vaults, whose views convert any number of shares. */
  readonly unit: bigint | null;
}

const erc4626Events = [
  "Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)",
  "Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)",
];

/** The topics for a contract's events with these names. */
const topicsOf = ({ abi }: Artifact, names: readonly string[]): string[] =>
  abi.flatMap((item) => (item.type === "event" && names.includes(item.name) ? [toEventSelector(item)] : []));

const savingsVault = (context: ExpectationContext, name: string, asset: string): KnownVault => ({
  artifact: demoContracts("SavingsVault"),
  address: addressIn(context, name),
  asset: addressIn(context, asset),
  assetsView: "totalAssets",
  events: erc4626Events.map(toEventSelector),
  unit: null,
});

/** The story's vaults by protocol. */
const vaultsOf = (context: ExpectationContext) => {
  const [pool, legacy, strategy] = [demoContracts("SharePool"), demoContracts("LegacyVault"), demoContracts("StrategyVault")];
  const [dollar, gold] = [addressIn(context, "usdToken"), addressIn(context, "goldToken")];
  const views = { assetsView: "totalAssets" };
  return {
    protocol_06: [savingsVault(context, "dollarVault", "usdToken"), savingsVault(context, "goldVault", "goldToken")],
    protocol_09: [
      {
        ...{ artifact: pool, address: addressIn(context, "sharePool"), asset: dollar, assetsView: "totalValue", unit: 10n ** 18n },
        events: topicsOf(pool, ["Deposit", "Withdraw"]),
      },
    ],
    protocol_10: [
      {
        ...{ artifact: legacy, address: addressIn(context, "legacyVault"), asset: gold, ...views, unit: 10n ** 18n },
        events: topicsOf(legacy, ["Transfer", "StrategyReported"]),
      },
      {
        ...{ artifact: strategy, address: addressIn(context, "strategyVault"), asset: dollar, ...views, unit: null },
        events: [...erc4626Events.map(toEventSelector), ...topicsOf(strategy, ["StrategyReported"])],
      },
    ],
  } satisfies Record<string, readonly KnownVault[]>;
};

/** The expected responses for protocol 06, 09 or 10, as of the last block with an event of the vault up to a height. */
export const expectVaults = async (
  context: ExpectationContext,
  protocol: keyof ReturnType<typeof vaultsOf>,
): Promise<ExpectedResponses> => {
  const vaults: readonly KnownVault[] = vaultsOf(context)[protocol];
  const readings = await Promise.all(vaults.map(({ address, events }) => blocksOf(context, address, [events])));
  const view = ({ artifact, address }: KnownVault, name: string, args: readonly unknown[], height: number): Promise<bigint> =>
    readAt(context, artifact, address, name, args, height);
  const assetsFor = async (vault: KnownVault, shares: bigint, height: number): Promise<bigint> =>
    vault.unit === null
      ? view(vault, "convertToAssets", [shares], height)
      : (shares * (await view(vault, "pricePerShare", [], height))) / vault.unit;
  return {
    markets: async (height) => {
      const entries = vaults.map(async (vault, position) => {
        const blocks = readings[position] ?? [];
        const block = newestOf(blocks, height);
        const assets = await view(vault, vault.assetsView, [], block);
        const value = context.valueAt(height)(vault.asset, assets);
        const fields = {
          ...{ asset_address: vault.asset, total_supply: String(assets), total_value_locked_quote: value, total_supply_quote: value },
          ...{ lp_token_address: vault.address, lp_token_total_supply: String(await view(vault, "totalSupply", [], block)) },
          block_height: block,
          supply_rate: await growthOf(context, blocks, height, (at) => assetsFor(vault, vault.unit ?? 10n ** 36n, at)),
        };
        return [vault.address, fields] as const;
      });
      return itemsOf(await Promise.all(entries));
    },
    balances: async (wallet, height) => {
      const entries = vaults.map(async (vault, position) => {
        const shares = await view(vault, "balanceOf", [wallet], height);
        if (shares === 0n) return null;
        const assets = await assetsFor(vault, shares, newestOf(readings[position] ?? [], height));
        return [`supplied ${vault.address}`, { balance: String(assets), quote: context.valueAt(height)(vault.asset, assets) }] as const;
      });
      return itemsOf(await Promise.all(entries));
    },
  };
};
