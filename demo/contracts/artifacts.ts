import { createRequire } from "node:module";
import type { Abi } from "viem";
import type { Hex } from "../../runtime/lib/hex.ts";
import { missingDependency } from "../errors.ts";
import type { Artifact } from "./artifact.ts";
import { readCompiled } from "./compiled.ts";

/** The contracts of the story: published builds from npm packages, and the demo's own, compiled from source. */
export interface Artifacts {
  readonly factory: Artifact;
  readonly pair: Artifact;
  readonly router: Artifact;
  readonly weth: Artifact;
  readonly rangeFactory: Artifact;
  readonly rangePool: Artifact;
  readonly rangeRouter: Artifact;
  readonly positionManager: Artifact;
  readonly presetToken: Artifact;
  readonly presetNft: Artifact;
  readonly presetMultiToken: Artifact;
  readonly harborDollar: Artifact;
  readonly oldCoin: Artifact;
  readonly tollCoin: Artifact;
  readonly airdrop: Artifact;
  readonly artCollection: Artifact;
  readonly editions: Artifact;
  readonly payouts: Artifact;
  readonly splitter: Artifact;
  readonly failingFunctions: Artifact;
  readonly customDecimalsToken: Artifact;
  readonly positionDescriptor: Artifact;
  readonly priceFeed: Artifact;
  readonly gardenCollection: Artifact;
  readonly basedCollection: Artifact;
  readonly hostileCollection: Artifact;
  readonly ferryCoin: Artifact;
  readonly punkLike: Artifact;
  readonly savingsVault: Artifact;
  readonly stableSwapRegistry: Artifact;
  readonly etherStableSwap: Artifact;
  readonly baseStableSwap: Artifact;
  readonly sharePool: Artifact;
  readonly legacyVault: Artifact;
  readonly strategyVault: Artifact;
  readonly poolVault: Artifact;
  readonly weightedVaultPool: Artifact;
  readonly composableVaultPool: Artifact;
  readonly marketRegistry: Artifact;
  readonly tokenMarket: Artifact;
  readonly nativeMarket: Artifact;
  readonly lendingConfigurator: Artifact;
  readonly lendingPool: Artifact;
  readonly conduitController: Artifact;
  readonly seaport: Artifact;
  readonly safe: Artifact;
  readonly safeFactory: Artifact;
  readonly multiSend: Artifact;
}

/** The build formats of Truffle and Hardhat (`bytecode`) and of Waffle (`evm`). */
interface PublishedBuild {
  readonly abi: Abi;
  readonly bytecode: string;
  readonly evm?: { readonly bytecode: { readonly object: string } };
}

const require = createRequire(import.meta.url);

const fromPackage = (path: string): Artifact => {
  let build: PublishedBuild;
  try {
    build = require(path) as PublishedBuild;
  } catch {
    throw missingDependency(path.split(/\/(?:src\/artifacts|build|artifacts)\//)[0] ?? path);
  }
  const bytecode = build.evm?.bytecode.object ?? build.bytecode;
  return { abi: build.abi, bytecode: bytecode.startsWith("0x") ? (bytecode as Hex) : `0x${bytecode}` };
};

/** Loads the published builds and the demo's own contracts. @throws {DemoUnavailable} if a package is not installed */
export const loadArtifacts = (): Artifacts => {
  const openzeppelin = "openzeppelin-contracts-4/build/contracts";
  const safe = "@safe-global/safe-contracts/build/artifacts/contracts";
  const published = {
    factory: fromPackage("@uniswap/v2-core/build/UniswapV2Factory.json"),
    pair: fromPackage("@uniswap/v2-core/build/UniswapV2Pair.json"),
    router: fromPackage("@uniswap/v2-periphery/build/UniswapV2Router02.json"),
    weth: fromPackage("@uniswap/v2-periphery/build/WETH9.json"),
    rangeFactory: fromPackage("@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json"),
    rangePool: fromPackage("@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json"),
    rangeRouter: fromPackage("@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json"),
    positionManager: fromPackage(
      "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json",
    ),
    conduitController: fromPackage(
      "@opensea/seaport-js/src/artifacts/seaport/contracts/conduit/ConduitController.sol/LocalConduitController.json",
    ),
    seaport: fromPackage("@opensea/seaport-js/src/artifacts/seaport/contracts/Seaport.sol/Seaport.json"),
    safe: fromPackage(`${safe}/Safe.sol/Safe.json`),
    safeFactory: fromPackage(`${safe}/proxies/SafeProxyFactory.sol/SafeProxyFactory.json`),
    multiSend: fromPackage(`${safe}/libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json`),
    presetToken: fromPackage(`${openzeppelin}/ERC20PresetMinterPauser.json`),
    presetNft: fromPackage(`${openzeppelin}/ERC721PresetMinterPauserAutoId.json`),
    presetMultiToken: fromPackage(`${openzeppelin}/ERC1155PresetMinterPauser.json`),
  };
  const compiled = readCompiled();
  return {
    ...published,
    harborDollar: compiled("HarborDollar"),
    oldCoin: compiled("OldCoin"),
    tollCoin: compiled("TollCoin"),
    airdrop: compiled("Airdrop"),
    artCollection: compiled("ArtCollection"),
    editions: compiled("Editions"),
    payouts: compiled("Payouts"),
    splitter: compiled("Splitter"),
    failingFunctions: compiled("FailingFunctions"),
    customDecimalsToken: compiled("CustomDecimalsToken"),
    positionDescriptor: compiled("PositionDescriptor"),
    priceFeed: compiled("PriceFeed"),
    gardenCollection: compiled("GardenCollection"),
    basedCollection: compiled("BasedCollection"),
    hostileCollection: compiled("HostileCollection"),
    ferryCoin: compiled("FerryCoin"),
    punkLike: compiled("PunkLike"),
    savingsVault: compiled("SavingsVault"),
    stableSwapRegistry: compiled("StableSwapRegistry"),
    etherStableSwap: compiled("EtherStableSwap"),
    baseStableSwap: compiled("BaseStableSwap"),
    poolVault: compiled("PoolVault"),
    weightedVaultPool: compiled("WeightedVaultPool"),
    composableVaultPool: compiled("ComposableVaultPool"),
    sharePool: compiled("SharePool"),
    legacyVault: compiled("LegacyVault"),
    strategyVault: compiled("StrategyVault"),
    marketRegistry: compiled("MarketRegistry"),
    tokenMarket: compiled("TokenMarket"),
    nativeMarket: compiled("NativeMarket"),
    lendingConfigurator: compiled("LendingConfigurator"),
    lendingPool: compiled("LendingPool"),
  };
};
