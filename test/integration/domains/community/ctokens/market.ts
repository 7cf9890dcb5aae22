import type { createRandom } from "../../../../../demo/story/random.ts";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { type Artifact, encodeCall, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { demoContracts } from "../../../../support/demo-contracts.ts";
import { multicallAddress, multicallCode } from "../../../../support/multicall.ts";
import { compileWithPackages } from "../../../../support/solidity.ts";

type Random = ReturnType<typeof createRandom>;

const helpers = compileWithPackages(`
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract Asset is ERC20 {
  uint8 immutable places;
  constructor(uint8 decimals_) ERC20("Asset", "AST") { places = decimals_; }
  function decimals() public view override returns (uint8) { return places; }
  function mint(address to, uint256 amount) external { _mint(to, amount); }
}

interface Market {
  function mint(uint256 amount) external;
  function redeem(uint256 tokens) external;
  function transfer(address to, uint256 amount) external returns (bool);
  function balanceOf(address owner) external view returns (uint256);
  function repayBorrowBehalf(address borrower, uint256 amount) external;
}

/** Calls markets on behalf of its callers. */
contract Router {
  function supply(Market market, ERC20 asset, uint256 amount) external {
    asset.transferFrom(msg.sender, address(this), amount);
    asset.approve(address(market), amount);
    market.mint(amount);
    market.transfer(msg.sender, market.balanceOf(address(this)));
  }
  function repay(Market market, ERC20 asset, address borrower, uint256 amount) external {
    asset.transferFrom(msg.sender, address(this), amount);
    asset.approve(address(market), amount);
    market.repayBorrowBehalf(borrower, amount);
  }
}

/** Emits any log as a listed market, and has none of its functions. */
contract Hostile {
  function emitLog(bytes32[] calldata topics, bytes memory data) external {
    bytes32[4] memory t;
    for (uint256 n = 0; n < topics.length; n += 1) t[n] = topics[n];
    uint256 count = topics.length;
    assembly {
      let start := add(data, 32)
      let size := mload(data)
      switch count
      case 1 { log1(start, size, mload(t)) }
      default { log3(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64))) }
    }
  }
}
`);

/** The contracts of a cToken protocol, with assets and a router. */
export interface CTokenContracts {
  readonly registry: Artifact;
  readonly token: Artifact;
  readonly native: Artifact;
  readonly asset: Artifact;
  readonly router: Artifact;
  readonly hostile: Artifact;
}

/** The demo's contracts, with assets and a router of this test. */
export const cTokenContracts: CTokenContracts = {
  registry: demoContracts("MarketRegistry"),
  token: demoContracts("TokenMarket"),
  native: demoContracts("NativeMarket"),
  asset: helpers("Asset"),
  router: helpers("Router"),
  hostile: helpers("Hostile"),
};

/** The variants of the market contract, which emit different events. */
export const variants = { oldest: 0, cash: 1, balance: 2 } as const;

export interface CToken {
  readonly address: Address;
  /** Null for the native token. */
  readonly asset: Address | null;
  readonly decimals: number;
}

/** Markets of one contract family, and accounts that use them. */
export interface CTokenFixture {
  readonly registry: Address;
  /** Calls markets on behalf of its callers. */
  readonly router: Address;
  /** Token markets; the debtor can borrow the second asset against the first. */
  readonly tokens: readonly [CToken, CToken];
  readonly all: readonly CToken[];
  readonly people: readonly Address[];
  /** Has assets but takes no random actions. */
  readonly debtor: Address;
  /** A market contract's artifact. */
  artifactOf(market: CToken): Artifact;
  callFrom(from: Address, market: CToken, name: string, args?: readonly unknown[]): TestTransaction;
  supply(from: Address, market: CToken, amount: bigint): TestTransaction;
  setPrice(market: CToken, price: bigint): TestTransaction;
  /** A random action by an account on a market, or a donation, which emits no market event; some fail. */
  randomTransaction(random: Random): TestTransaction;
}

/** Markets for two tokens and the native token. */
export interface CTokenMarkets extends CTokenFixture {
  readonly contracts: CTokenContracts;
  readonly native: CToken;
}

const rates = { baseRate: 10n ** 16n, multiplier: 2n * 10n ** 17n };
const unlimited = 2n ** 255n;

interface ActionContext {
  readonly contracts: Pick<CTokenContracts, "asset" | "router">;
  readonly router: Address;
  callFrom: CTokenFixture["callFrom"];
}

interface ActionTarget {
  readonly from: Address;
  readonly to: Address;
  readonly market: CToken;
}

/** A random action by an account on a market, for itself or another account, or a donation. */
export const randomAction = (
  random: Random,
  { contracts, router, callFrom }: ActionContext,
  { from, to, market }: ActionTarget,
): TestTransaction => {
  const amount = BigInt(random.between(1, 1_000_000)) * 10n ** BigInt(market.decimals - 3) + BigInt(random.between(0, 999));
  const minted = (amount * 10n ** 18n) / (2n * 10n ** BigInt(8 + market.decimals));
  const commonActions = [
    callFrom(from, market, "redeem", [minted / 3n]),
    callFrom(from, market, "borrow", [amount / 4n]),
    callFrom(from, market, "borrow", [amount / 9n]),
  ];
  if (market.asset === null)
    return random.pick<TestTransaction>([
      { ...callFrom(from, market, "mint"), value: amount },
      { ...callFrom(from, market, "repayBorrow"), value: amount / 20n },
      { from, to: market.address, value: 0n },
      ...commonActions,
    ]);
  const token = (name: string, args: readonly unknown[]) => ({ from, ...encodeCall(contracts.asset, market.asset as Address, name, args) });
  const routed = (name: string, args: readonly unknown[]) => ({ from, ...encodeCall(contracts.router, router, name, args) });
  return random.pick<TestTransaction>([
    callFrom(from, market, "mint", [amount]),
    callFrom(from, market, "mint", [amount]),
    callFrom(from, market, "redeemUnderlying", [amount / 2n]),
    callFrom(from, market, "repayBorrow", [amount / 20n]),
    callFrom(from, market, "repayBorrowBehalf", [to, amount / 40n]),
    callFrom(from, market, "mintBehalf", [to, amount / 3n]),
    callFrom(from, market, "transfer", [to, minted / 5n]),
    routed("supply", [market.address, market.asset, amount / 2n]),
    routed("repay", [market.address, market.asset, to, amount / 50n]),
    token("transfer", [market.address, amount / 1000n + 1n]),
    ...commonActions,
  ]);
};

/** Deploys and lists two token markets of the given variants and a native-token market. */
export const startCTokenMarkets = async (chain: TestChain, [first, second]: readonly [number, number]): Promise<CTokenMarkets> => {
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  const contracts = cTokenContracts;
  const people = chain.accounts.slice(0, 4) as Address[];
  const debtor = chain.accounts[4] as Address;
  const registry = await chain.deploy(contracts.registry);
  const router = await chain.deploy(contracts.router);
  const termsOf = (name: string, decimals: number, payoutBlocks: bigint) => ({
    ...{ name, symbol: name, initialExchangeRate: 2n * 10n ** BigInt(8 + decimals), ...rates },
    ...{ blocksPerYear: 400n, reserveFactor: 10n ** 17n, payoutBlocks },
  });
  const tokenMarket = async (variant: number, decimals: number, payoutBlocks: bigint): Promise<CToken> => {
    const asset = await chain.deploy(contracts.asset, [decimals]);
    const address = await chain.deploy(contracts.token, [registry, variant, termsOf(`Lent ${decimals}`, decimals, payoutBlocks), asset]);
    for (const to of [...people, debtor]) await chain.send(encodeCall(contracts.asset, asset, "mint", [to, 10n ** BigInt(decimals + 9)]));
    for (const from of [...people, debtor])
      for (const spender of [address, router])
        await chain.send({ from, ...encodeCall(contracts.asset, asset, "approve", [spender, unlimited]) });
    await chain.mine();
    return { address, asset, decimals };
  };
  const tokens = [await tokenMarket(first, 18, 0n), await tokenMarket(second, 6, 7n)] as const;
  const native: CToken = {
    address: await chain.deploy(contracts.native, [registry, second, termsOf("Lent native", 18, 0n)]),
    asset: null,
    decimals: 18,
  };
  const all = [...tokens, native];
  // One dollar per whole token: the price of the smallest unit, times 10^36.
  const priceOf = ({ decimals }: CToken): bigint => 10n ** BigInt(36 - decimals);
  for (const market of all) await chain.send(encodeCall(contracts.registry, registry, "list", [market.address, priceOf(market)]));
  await chain.mine();
  const artifactOf = ({ asset }: CToken): Artifact => (asset === null ? contracts.native : contracts.token);
  const callFrom: CTokenMarkets["callFrom"] = (from, market, name, args = []) => ({
    from,
    ...encodeCall(artifactOf(market), market.address, name, args),
  });
  const randomTransaction = (random: Random): TestTransaction => {
    const [from, to, market] = [random.pick(people), random.pick(people), random.pick(all)];
    return randomAction(random, { contracts, router, callFrom }, { from, to, market });
  };
  return {
    ...{ contracts, registry, router, tokens, native, all, people, debtor, artifactOf, callFrom, randomTransaction },
    supply: (from, market, amount) =>
      market.asset === null ? { ...callFrom(from, market, "mint"), value: amount } : callFrom(from, market, "mint", [amount]),
    setPrice: (market, price) => encodeCall(contracts.registry, registry, "setPrice", [market.address, price]),
  };
};

/** Reads a number from a contract at a height. */
export const readAt = async (
  chain: Pick<TestChain, "rpc">,
  artifact: Artifact,
  to: Address,
  name: string,
  args: readonly unknown[],
  height: number,
): Promise<bigint> => BigInt(await chain.rpc<Hex>("eth_call", [encodeCall(artifact, to, name, args), `0x${height.toString(16)}`]));
