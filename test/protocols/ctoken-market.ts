import { toFunctionSelector } from "viem";
import type { Address } from "../../runtime/lib/hex.ts";
import {
  type CToken,
  type CTokenFixture,
  cTokenContracts as contracts,
  randomAction,
} from "../integration/domains/community/ctokens/market.ts";
import { type Artifact, encodeCall, type TestTransaction } from "../support/chain.ts";
import { compileWithPackages } from "../support/solidity.ts";
import { artifactOf, type ProtocolChain } from "./support.ts";

const contract = (path: string): Artifact =>
  artifactOf(`@venusprotocol/venus-protocol/artifacts/contracts/${path}.sol/${path.split("/").at(-1)}.json`);

/** A mock of contracts from other packages that the comptroller and its markets call: price oracle, access control and reserve receiver. */
const externalContracts = compileWithPackages(`
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

contract ExternalContracts {
  mapping(address => uint256) public prices;
  function setPrice(address market, uint256 price) external { prices[market] = price; }
  function getUnderlyingPrice(address market) external view returns (uint256) { return prices[market]; }
  function getBoundedPricesView(address market) external view returns (uint256, uint256) { return (prices[market], prices[market]); }
  function updateProtectionState(address) external {}
  function updatePrice(address) external {}
  function isAllowedToCall(address, string calldata) external pure returns (bool) { return true; }
  function updateAssetsState(address, address, uint8) external {}
}
`)("ExternalContracts");

/** The release of the market contracts; legacy markets emit Compound's events. */
export type Release = "legacy" | "newest";

const delegates: Readonly<Record<Release, { readonly proxy: string; readonly implementation: string }>> = {
  legacy: { proxy: "Tokens/VTokens/legacy/VBep20DelegatorR1", implementation: "Tokens/VTokens/legacy/VBep20DelegateR1" },
  newest: { proxy: "Tokens/VTokens/VBep20Delegator", implementation: "Tokens/VTokens/VBep20Delegate" },
};

const unlimited = 2n ** 255n;
const wad = 10n ** 18n;

/** Deploys the comptroller with its facets. */
const deployComptroller = async (
  { deploy, execute }: ProtocolChain,
  external: Address,
): Promise<{ address: Address; artifact: Artifact }> => {
  const [unitroller, diamond] = [contract("Comptroller/Unitroller"), contract("Comptroller/Diamond/Diamond")];
  const address = await deploy(unitroller);
  const implementation = await deploy(diamond);
  await execute(
    encodeCall(unitroller, address, "_setPendingImplementation", [implementation]),
    encodeCall(diamond, implementation, "_become", [address]),
  );
  const taken = new Set<string>();
  const cuts: { facetAddress: Address; action: number; functionSelectors: readonly string[] }[] = [];
  const abi: Artifact["abi"][number][] = [];
  for (const name of ["MarketFacet", "PolicyFacet", "RewardFacet", "SetterFacet", "FlashLoanFacet"]) {
    const facet = contract(`Comptroller/Diamond/facets/${name}`);
    const functions = facet.abi.filter((item) => item.type === "function" && !taken.has(toFunctionSelector(item)));
    const selectors = functions.map((item) => toFunctionSelector(item as Parameters<typeof toFunctionSelector>[0]));
    for (const selector of selectors) taken.add(selector);
    abi.push(...functions);
    cuts.push({ facetAddress: await deploy(facet), action: 0, functionSelectors: selectors });
  }
  await execute(encodeCall(diamond, address, "diamondCut", [cuts]));
  const artifact: Artifact = { abi, bytecode: "0x" };
  const set = (name: string, args: readonly unknown[]) => encodeCall(artifact, address, name, args);
  await execute(set("_setAccessControl", [external]));
  await execute(
    set("_setComptrollerLens", [await deploy(contract("Lens/ComptrollerLens"))]),
    set("_setPriceOracle", [external]),
    set("setDeviationBoundedOracle", [external]),
    set("_setCloseFactor", [wad / 2n]),
  );
  return { address, artifact };
};

/** Deploys and lists three markets. The second one pays out its reserves every seven blocks. */
export const startRealCTokenMarkets = async (world: ProtocolChain, release: Release): Promise<CTokenFixture> => {
  const { chain, deploy, execute } = world;
  const people = chain.accounts.slice(0, 4) as Address[];
  const debtor = chain.accounts[4] as Address;
  const admin = people[0] as Address;
  const external = await deploy(externalContracts);
  const comptroller = await deployComptroller(world, external);
  const { proxy, implementation } = delegates[release];
  const delegate = contract(implementation);
  const code = await deploy(delegate);
  const router = await deploy(contracts.router);
  const rateModel = await deploy(contract("InterestRateModels/JumpRateModel"), [wad / 100n, wad / 20n, wad, (wad * 8n) / 10n, 20_000n]);

  const addMarket = async (decimals: number, payoutBlocks: bigint): Promise<CToken> => {
    const asset = await deploy(contracts.asset, [decimals]);
    const rate = 2n * 10n ** BigInt(8 + decimals);
    const name = `Lent ${decimals}`;
    const args = [asset, comptroller.address, rateModel, rate, name, name, 8, admin, code, "0x"];
    const address = await deploy(contract(proxy), args);
    const set = (functionName: string, values: readonly unknown[]) =>
      encodeCall(comptroller.artifact, comptroller.address, functionName, values);
    const configure = (functionName: string, values: readonly unknown[]) => encodeCall(delegate, address, functionName, values);
    await execute(
      configure("setAccessControlManager", [external]),
      configure("setProtocolShareReserve", [external]),
      configure("setReduceReservesBlockDelta", [payoutBlocks]),
      configure("_setReserveFactor", [wad / 10n]),
      encodeCall(externalContracts, external, "setPrice", [address, 10n ** BigInt(36 - decimals)]),
      set("_supportMarket", [address]),
    );
    await execute(
      set("setCollateralFactor", [address, (wad * 6n) / 10n, (wad * 7n) / 10n]),
      set("setLiquidationIncentive", [address, (wad * 11n) / 10n]),
      set("setMarketBorrowCaps", [[address], [unlimited]]),
      set("setMarketSupplyCaps", [[address], [unlimited]]),
      set("setIsBorrowAllowed", [0n, address, true]),
    );
    const users = [...people, debtor];
    await execute(
      ...users.map((to) => encodeCall(contracts.asset, asset, "mint", [to, 10n ** BigInt(decimals + 9)])),
      ...users.flatMap((from) =>
        [address, router].map((spender) => ({ from, ...encodeCall(contracts.asset, asset, "approve", [spender, unlimited]) })),
      ),
    );
    return { address, asset, decimals };
  };
  const tokens = [await addMarket(18, 10n ** 12n), await addMarket(6, 7n)] as const;
  const all = [...tokens, await addMarket(8, 10n ** 12n)];
  const enter = encodeCall(comptroller.artifact, comptroller.address, "enterMarkets", [all.map(({ address }) => address)]);
  await execute(...[...people, debtor].map((from) => ({ from, ...enter })));
  const callFrom: CTokenFixture["callFrom"] = (from, market, name, args = []) => ({
    from,
    ...encodeCall(delegate, market.address, name, args),
    gas: 3_000_000n,
  });
  return {
    ...{ registry: comptroller.address, router, tokens, all, people, debtor, callFrom },
    artifactOf: () => delegate,
    supply: (from, market, amount) => callFrom(from, market, "mint", [amount]),
    setPrice: (market, price) => encodeCall(externalContracts, external, "setPrice", [market.address, price]),
    randomTransaction: (random): TestTransaction => {
      const [from, to, market] = [random.pick(people), random.pick(people), random.pick(all)];
      // Sets the market's recorded cash to its balance.
      if (release === "newest" && random.oneIn(12)) return callFrom(admin, market, "sweepTokenAndSync", [0n]);
      return { gas: 3_000_000n, ...randomAction(random, { contracts, router, callFrom }, { from, to, market }) };
    },
  };
};
