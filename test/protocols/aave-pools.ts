import { decodeEventLog } from "viem";
import { type Address, type Hex, zeroAddress } from "../../runtime/lib/hex.ts";
import type { Coin, LendingReserve } from "../integration/domains/community/lending/market.ts";
import { type Artifact, encodeCall, type TestTransaction } from "../support/chain.ts";
import { artifactOf, type ProtocolChain } from "./support.ts";

/** A pool with its reserves. */
export interface RealPool {
  readonly address: Address;
  readonly configurator: Address;
  readonly isV2: boolean;
  readonly reserves: readonly LendingReserve[];
  /** The package's data provider, which has the view functions for reserves. */
  readonly provider: Address;
  readonly providerArtifact: Artifact;
  /** Sets the price of a coin in US dollars. */
  setPrice(coin: Coin, dollars: number): TestTransaction;
}

const ray = 10n ** 27n;
const percent = ray / 100n;

const contractOf =
  (packageName: string) =>
  (path: string, libraries: Readonly<Record<string, Address>> = {}): Artifact =>
    artifactOf(`@aave/${packageName}/artifacts/contracts/${path}.sol/${path.split("/").at(-1)}.json`, libraries);

interface CreatedPool {
  readonly pool: Address;
  readonly isV2: boolean;
  readonly configurator: Address;
  readonly configuratorArtifact: Artifact;
}

/** A coin's reserve, according to the configurator's event. */
const reserveOf = (
  { pool, isV2, configurator, configuratorArtifact: { abi } }: CreatedPool,
  logs: readonly { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }[],
  coin: Coin,
): LendingReserve => {
  for (const { address, topics, data } of logs) {
    if (address !== configurator) continue;
    const { eventName, args } = decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data }) as { eventName: string; args: unknown };
    if (eventName !== "ReserveInitialized") continue;
    const tokens = args as Readonly<Record<"aToken" | "variableDebtToken" | "stableDebtToken", string>>;
    const [aToken, variableDebt, stableDebt] = [tokens.aToken, tokens.variableDebtToken, tokens.stableDebtToken].map(
      (token) => token.toLowerCase() as Address,
    ) as [Address, Address, Address];
    return { coin, pool, isV2, aToken, variableDebt, stableDebt };
  }
  throw new Error(`Missing event ReserveInitialized for ${coin.address}.`);
};

/** Deploys a version 3 pool with a reserve for each coin. */
export const deployPool = async (world: ProtocolChain, coins: readonly Coin[], treasury: Address): Promise<RealPool> => {
  const { chain, deploy, execute, read } = world;
  const contract = contractOf("core-v3");
  const [admin] = chain.accounts as [Address];
  const deployLogic = async (name: string, libraries: Readonly<Record<string, Address>> = {}): Promise<Address> =>
    deploy(contract(`protocol/libraries/logic/${name}`, libraries));
  const BorrowLogic = await deployLogic("BorrowLogic");
  const libraries: Record<string, Address> = { BorrowLogic, FlashLoanLogic: await deployLogic("FlashLoanLogic", { BorrowLogic }) };
  for (const name of ["BridgeLogic", "EModeLogic", "LiquidationLogic", "PoolLogic", "SupplyLogic", "ConfiguratorLogic"])
    libraries[name] = await deployLogic(name);

  const addressesArtifact = contract("protocol/configuration/PoolAddressesProvider");
  const addresses = await deploy(addressesArtifact, ["Market", admin]);
  const set = (name: string, value: Address) => encodeCall(addressesArtifact, addresses, name, [value]);
  const lookUp = async (name: string) => (await read<Address>(addressesArtifact, addresses, name)).toLowerCase() as Address;
  await execute(set("setACLAdmin", admin));
  const roles = contract("protocol/configuration/ACLManager");
  const manager = await deploy(roles, [addresses]);
  await execute(set("setACLManager", manager), encodeCall(roles, manager, "addPoolAdmin", [admin]));
  const oracleArtifact = contract("mocks/oracle/PriceOracle");
  const oracle = await deploy(oracleArtifact);
  const providerArtifact = contract("misc/AaveProtocolDataProvider");
  const provider = await deploy(providerArtifact, [addresses]);
  await execute(set("setPriceOracle", oracle), set("setPoolDataProvider", provider));
  await execute(set("setPoolImpl", await deploy(contract("protocol/pool/Pool", libraries), [addresses])));
  const configuratorArtifact = contract("protocol/pool/PoolConfigurator", libraries);
  await execute(set("setPoolConfiguratorImpl", await deploy(configuratorArtifact)));
  const [pool, configurator] = [await lookUp("getPool"), await lookUp("getPoolConfigurator")];
  const [aToken, stable, variable] = [
    await deploy(contract("protocol/tokenization/AToken"), [pool]),
    await deploy(contract("protocol/tokenization/StableDebtToken"), [pool]),
    await deploy(contract("protocol/tokenization/VariableDebtToken"), [pool]),
  ];
  const rates = [80n * percent, percent, 4n * percent, 60n * percent, 5n * percent, 60n * percent, percent, 8n * percent, 20n * percent];
  const strategy = await deploy(contract("protocol/pool/DefaultReserveInterestRateStrategy"), [addresses, ...rates]);
  const configure = (name: string, args: readonly unknown[]) => encodeCall(configuratorArtifact, configurator, name, args);
  const setPrice = (coin: Coin, dollars: number) =>
    encodeCall(oracleArtifact, oracle, "setAssetPrice", [coin.address, BigInt(Math.round(dollars * 1e8))]);
  const reserves: LendingReserve[] = [];
  for (const coin of coins) {
    const name = `Receipt ${coin.decimals}`;
    const input = {
      ...{ aTokenImpl: aToken, stableDebtTokenImpl: stable, variableDebtTokenImpl: variable, interestRateStrategyAddress: strategy },
      ...{ underlyingAssetDecimals: coin.decimals, underlyingAsset: coin.address, treasury, incentivesController: zeroAddress },
      ...{ aTokenName: name, aTokenSymbol: name, variableDebtTokenName: name, variableDebtTokenSymbol: name },
      ...{ stableDebtTokenName: name, stableDebtTokenSymbol: name, params: "0x10" },
    };
    const [created] = await execute(configure("initReserves", [[input]]));
    await execute(
      setPrice(coin, coin.price),
      configure("configureReserveAsCollateral", [coin.address, 7_500n, 8_000n, 10_500n]),
      configure("setReserveBorrowing", [coin.address, true]),
      configure("setReserveStableRateBorrowing", [coin.address, true]),
      configure("setReserveFactor", [coin.address, 1_000n]),
    );
    reserves.push(reserveOf({ pool, isV2: false, configurator, configuratorArtifact }, created?.logs ?? [], coin));
  }
  return { address: pool, configurator, isV2: false, reserves, provider, providerArtifact, setPrice };
};

/** Deploys a version 2 pool with a reserve for each coin. Its prices are in ether; here, one ether is worth one US dollar. */
export const deployPoolV2 = async (world: ProtocolChain, coins: readonly Coin[], treasury: Address): Promise<RealPool> => {
  const { chain, deploy, execute, read } = world;
  const contract = contractOf("protocol-v2");
  const [admin] = chain.accounts as [Address];
  const deployLogic = async (name: string, libraries: Readonly<Record<string, Address>> = {}): Promise<Address> =>
    deploy(contract(`protocol/libraries/logic/${name}`, libraries));
  const GenericLogic = await deployLogic("GenericLogic");
  const libraries = {
    ReserveLogic: await deployLogic("ReserveLogic"),
    ValidationLogic: await deployLogic("ValidationLogic", { GenericLogic }),
  };

  const addressesArtifact = contract("protocol/configuration/LendingPoolAddressesProvider");
  const addresses = await deploy(addressesArtifact, ["Market"]);
  const set = (name: string, value: Address) => encodeCall(addressesArtifact, addresses, name, [value]);
  const lookUp = async (name: string) => (await read<Address>(addressesArtifact, addresses, name)).toLowerCase() as Address;
  const oracleArtifact = contract("mocks/oracle/PriceOracle");
  const ratesArtifact = contract("mocks/oracle/LendingRateOracle");
  const [oracle, marketRates] = [await deploy(oracleArtifact), await deploy(ratesArtifact)];
  const configuratorArtifact = contract("protocol/lendingpool/LendingPoolConfigurator");
  await execute(
    set("setPoolAdmin", admin),
    set("setEmergencyAdmin", admin),
    set("setPriceOracle", oracle),
    set("setLendingRateOracle", marketRates),
    set("setLendingPoolCollateralManager", await deploy(contract("protocol/lendingpool/LendingPoolCollateralManager"))),
  );
  await execute(set("setLendingPoolImpl", await deploy(contract("protocol/lendingpool/LendingPool", libraries))));
  await execute(set("setLendingPoolConfiguratorImpl", await deploy(configuratorArtifact)));
  const [pool, configurator] = [await lookUp("getLendingPool"), await lookUp("getLendingPoolConfigurator")];
  const providerArtifact = contract("misc/AaveProtocolDataProvider");
  const rates = [80n * percent, percent, 4n * percent, 60n * percent, 5n * percent, 60n * percent];
  const strategy = await deploy(contract("protocol/lendingpool/DefaultReserveInterestRateStrategy"), [addresses, ...rates]);
  const configure = (name: string, args: readonly unknown[]) => encodeCall(configuratorArtifact, configurator, name, args);
  const setPrice = (coin: Coin, dollars: number) =>
    encodeCall(oracleArtifact, oracle, "setAssetPrice", [coin.address, BigInt(Math.round(dollars * 1e6)) * 10n ** 12n]);
  const reserves: LendingReserve[] = [];
  for (const coin of coins) {
    const name = `Receipt ${coin.decimals}`;
    const deployToken = (contractName: string, args: readonly unknown[]) =>
      deploy(contract(`protocol/tokenization/${contractName}`), [pool, coin.address, ...args, name, name, zeroAddress]);
    const tokens = [
      await deployToken("AToken", [treasury]),
      await deployToken("StableDebtToken", []),
      await deployToken("VariableDebtToken", []),
    ];
    await execute(setPrice(coin, coin.price), encodeCall(ratesArtifact, marketRates, "setMarketBorrowRate", [coin.address, 3n * percent]));
    const [created] = await execute(configure("initReserve", [...tokens, coin.decimals, strategy]));
    await execute(
      configure("configureReserveAsCollateral", [coin.address, 7_500n, 8_000n, 10_500n]),
      configure("enableBorrowingOnReserve", [coin.address, true]),
      configure("setReserveFactor", [coin.address, 1_000n]),
    );
    reserves.push(reserveOf({ pool, isV2: true, configurator, configuratorArtifact }, created?.logs ?? [], coin));
  }
  const provider = await deploy(providerArtifact, [addresses]);
  return { address: pool, configurator, isV2: true, reserves, provider, providerArtifact, setPrice };
};
