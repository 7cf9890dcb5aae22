import { concatHex, encodePacked, size, zeroAddress } from "viem";
import { privateKeyToAddress, sign } from "viem/accounts";
import { type Address, type Hash, type Hex, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import { privateKeyOf } from "../story/genesis.ts";
import { encodeFulfillOrder, erc721Item } from "../story/seaport-orders.ts";
import type { StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { finney } from "./buyer-funds.ts";
import { type Exchange, farDeadline } from "./exchange-types.ts";
import type { Garden } from "./garden-types.ts";
import type { Lending } from "./lending-pools.ts";
import { createOrderBuilder, type Marketplace } from "./marketplace-orders.ts";
import type { Tokens } from "./tokens.ts";

/** A Safe of version 1.4.1 and the contracts that it needs. */
export interface SafeAccount {
  readonly address: Address;
  readonly singleton: Address;
  readonly factory: Address;
  readonly multiSend: Address;
}

/** The contracts of other chapters that the Safe calls. */
interface Venues {
  readonly tokens: Tokens;
  readonly exchange: Exchange;
  readonly lending: Lending;
  readonly garden: Garden;
  readonly marketplace: Marketplace;
}

/** A call that the Safe makes. */
interface SafeCall {
  readonly to: Address;
  readonly data: Hex;
  readonly value?: bigint;
}

const delegateCall = 1;
const ownerKeys = [privateKeyOf("the first owner of the Safe"), privateKeyOf("the second owner of the Safe")] as const;
const plantPrice = 400n * finney;
/** Differs from the salts of the marketplace's own orders, which count from 1. */
const orderSalt = 1_000_000n;

/** Deploys the contracts and creates a Safe whose two owners must both sign. */
const createSafe = async (context: StoryContext, { deployer }: Accounts): Promise<SafeAccount> => {
  const { artifacts } = context;
  const singleton = await context.deploy(deployer, artifacts.safe);
  const factory = await context.deploy(deployer, artifacts.safeFactory);
  const multiSend = await context.deploy(deployer, artifacts.multiSend);
  const owners = ownerKeys.map((key) => privateKeyToAddress(key));
  const setupArguments = [owners, BigInt(owners.length), zeroAddress, "0x", zeroAddress, zeroAddress, 0n, zeroAddress];
  const creation = [singleton, encode(artifacts.safe.abi, "setup", setupArguments), 0n];
  const address = await context.read<string>(factory, artifacts.safeFactory.abi, "createProxyWithNonce", creation);
  const data = encode(artifacts.safeFactory.abi, "createProxyWithNonce", creation);
  await context.mine([{ from: deployer, to: factory, data, gas: 600_000 }]);
  return { address: address.toLowerCase() as Address, singleton, factory, multiSend };
};

/** Packs calls as MultiSend reads them: operation, recipient, value, length and data. */
const packCalls = (calls: readonly SafeCall[]): Hex =>
  concatHex(
    calls.map(({ to, data, value = 0n }) =>
      encodePacked(["uint8", "address", "uint256", "uint256", "bytes"], [0, to, value, BigInt(size(data)), data]),
    ),
  );

/** Signs a hash with the keys of all owners, in the order of their addresses, as a Safe requires. Signatures are deterministic (RFC 6979). */
const signWithOwnerKeys = async (hash: Hash): Promise<Hex> => {
  const sorted = [...ownerKeys].sort((left, right) =>
    privateKeyToAddress(left).toLowerCase() < privateKeyToAddress(right).toLowerCase() ? -1 : 1,
  );
  return concatHex(await Promise.all(sorted.map((privateKey) => sign({ hash, privateKey, to: "hex" }))));
};

/**
 * Creates a Safe that swaps dollars, supplies dollars and buys a plant in one transaction, alone in its block. The trader sends it and pays for
 * the plant.
 */
export const setUpSafe = async (context: StoryContext, accounts: Accounts, venues: Venues): Promise<SafeAccount> => {
  const { artifacts } = context;
  const { deployer, trader, gardener } = accounts;
  const { exchange, lending, garden, marketplace } = venues;
  const { usd, gold } = venues.tokens;
  const { pool } = lending.dollars;
  const safe = await createSafe(context, accounts);
  const [swapped, supplied] = [1_000n * usd.unit, 2_000n * usd.unit];

  const [plant] = garden.registry.transferableIdsOf(gardener);
  if (plant === undefined) throw new Error("The gardener has no transferable plant for the Safe");
  garden.registry.move(plant, safe.address);
  garden.registry.reserve(plant);
  const orders = createOrderBuilder(marketplace, orderSalt);
  const order = orders.list(gardener, [erc721Item(garden.address, plant)], "native", plantPrice);
  await context.mine([
    { from: deployer, to: usd.address, data: encode(usd.abi, "mint", [safe.address, 5_000n * usd.unit]) },
    orders.validate(order),
  ]);

  const swap = [swapped, 0n, [usd.address, gold.address], safe.address, farDeadline];
  const calls: readonly SafeCall[] = [
    { to: usd.address, data: encodeApprove(exchange.router, swapped) },
    { to: exchange.router, data: encode(artifacts.router.abi, "swapExactTokensForTokens", swap) },
    { to: usd.address, data: encodeApprove(pool, supplied) },
    { to: pool, data: encode(artifacts.lendingPool.abi, "supply", [usd.address, supplied, safe.address, 0]) },
    { to: marketplace.seaport, data: encodeFulfillOrder({ order }), value: plantPrice },
  ];
  const batch = encode(artifacts.multiSend.abi, "multiSend", [packCalls(calls)]);
  const transaction = [safe.multiSend, 0n, batch, delegateCall, 0n, 0n, 0n, zeroAddress, zeroAddress];
  const hash = await context.read<Hash>(safe.address, artifacts.safe.abi, "getTransactionHash", [...transaction, 0n]);
  const data = encode(artifacts.safe.abi, "execTransaction", [...transaction, await signWithOwnerKeys(hash)]);
  context.holdings.deduct(nativeTokenAddress, trader, plantPrice);
  await context.mine([{ from: trader, to: safe.address, value: plantPrice, data, gas: 1_500_000, label: "safe" }]);
  return safe;
};
