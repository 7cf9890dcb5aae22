import type { createRandom } from "../../../../../demo/story/random.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { multicallAddress, multicallCode } from "../../../../support/multicall.ts";
import { compileSolidity } from "../../../../support/solidity.ts";
import { approve, deployExchange, mineTransactions, mint, type TestExchange, uniswapV2 } from "../../pools/support.ts";

type Random = ReturnType<typeof createRandom>;

/** Announces any contract as a pool. */
const announcer = compileSolidity(`
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;
contract Announcer {
  event PairCreated(address indexed token0, address indexed token1, address pair, uint256 number);
  function announce(address token0, address token1, address pair) external { emit PairCreated(token0, token1, pair, 1); }
}`);

const ether = 10n ** 18n;

/** Three exchanges for the same tokens, and accounts that use them. */
export interface ExchangeMarket {
  /** `gold` and `silver` have prices, `dust` has none; `odd` has no decimals. */
  readonly tokens: Readonly<Record<"gold" | "silver" | "dust" | "odd", Address>>;
  /** `plain` has no protocol fee and `taxed` has one; `foreign` is not an exchange of the protocol. */
  readonly plain: TestExchange;
  readonly taxed: TestExchange;
  readonly foreign: TestExchange;
  /** The pools of the first two exchanges. */
  readonly pools: readonly Address[];
  /** `empty` has no liquidity; `shared` was announced by another contract, too. */
  readonly empty: Address;
  readonly shared: Address;
  readonly people: readonly Address[];
  readonly weth: Address;
  /** A random swap, addition or removal of liquidity through a router, for the sender or for another account; some fail. */
  randomTransaction(random: Random): TestTransaction;
}

/** Deploys the exchanges; each pool except the empty one has liquidity. */
export const startExchangeMarket = async (chain: TestChain): Promise<ExchangeMarket> => {
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  const people = chain.accounts.slice(0, 4).map((address) => address.toLowerCase() as Address);
  const [owner] = people as [Address];
  const weth = (await chain.deploy(artifacts.weth())).toLowerCase() as Address;
  const [plain, taxed, foreign] = [await deployExchange(chain, weth), await deployExchange(chain, weth), await deployExchange(chain, weth)];
  const deployToken = async () => (await chain.deploy(artifacts.erc20(), ["Token", "TOK"])).toLowerCase() as Address;
  const tokens = { gold: await deployToken(), silver: await deployToken(), dust: await deployToken(), odd: await deployToken() };
  const all = Object.values(tokens);
  await mineTransactions(chain, [
    { ...encodeCall(uniswapV2.factory(), taxed.factory, "setFeeTo", [chain.accounts[9]]) },
    ...people.flatMap((to) => all.map((token) => mint(token, to, 2n ** 120n))),
  ]);
  await mineTransactions(
    chain,
    people.flatMap((from) =>
      all.flatMap((token) => [plain, taxed, foreign].map(({ router }) => ({ ...approve(from, token, router), gas: 100_000n }))),
    ),
  );
  const createPair = async ({ factory, pairOf }: TestExchange, first: Address, second: Address): Promise<Address> => {
    await mineTransactions(chain, [{ ...encodeCall(uniswapV2.factory(), factory, "createPair", [first, second]), gas: 5_000_000n }]);
    return pairOf(first, second);
  };
  const { gold, silver, dust, odd } = tokens;
  const shared = await createPair(plain, gold, odd);
  const impostor = await chain.deploy(announcer("Announcer"));
  await mineTransactions(chain, [encodeCall(announcer("Announcer"), impostor, "announce", [silver, dust, shared])]);
  const empty = await createPair(plain, silver, odd);
  await mineTransactions(chain, [
    plain.addLiquidity(owner, [gold, silver], [500_000n * ether, 700_000n * ether]),
    plain.addLiquidity(owner, [gold, dust], [9_000n * ether, 3n * ether]),
    // Reserves have at most 112 bits.
    plain.addLiquidity(owner, [gold, odd], [2n ** 111n, 2n ** 111n]),
    taxed.addLiquidity(owner, [gold, silver], [40_000n * ether, 90_000n * ether]),
    foreign.addLiquidity(owner, [gold, silver], [40_000n * ether, 90_000n * ether]),
  ]);
  const pools = [await plain.pairOf(gold, silver), await plain.pairOf(gold, dust), shared, empty, await taxed.pairOf(gold, silver)];
  await chain.send(
    ...people.flatMap((from) =>
      pools.map((pool, position) => ({ ...approve(from, pool, position === 4 ? taxed.router : plain.router), gas: 100_000n })),
    ),
  );
  await chain.mine();
  const pairs: readonly (readonly [TestExchange, readonly [Address, Address]])[] = [
    [plain, [gold, silver]],
    [plain, [dust, gold]],
    [plain, [gold, odd]],
    [taxed, [silver, gold]],
    [foreign, [silver, gold]],
  ];
  return {
    tokens,
    plain,
    taxed,
    foreign,
    pools,
    empty,
    shared,
    people,
    weth,
    randomTransaction: (random) => {
      const [from, to, [exchange, pair]] = [random.pick(people), random.pick(people), random.pick(pairs)];
      const amount = ether * BigInt(random.between(1, 2_000));
      return random.pick<TestTransaction>([
        exchange.addLiquidity(from, pair, [amount, amount]),
        exchange.addLiquidity(from, pair, [amount, amount], to),
        exchange.removeLiquidity(from, pair, amount / 16n),
        exchange.swap(from, amount, pair),
        exchange.swap(from, amount, [...pair].reverse(), to),
        plain.swap(from, amount, [dust, gold, silver]),
      ]);
    },
  };
};
