import { createRandom } from "../../../../demo/story/random.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { artifacts, startTestChain, type TestChain } from "../../../support/chain.ts";
import { approve, deployExchange, mineTransactions, mint, readContract, type TestExchange, uniswapV2 } from "../pools/support.ts";

export const unit = 10n ** 18n;
/** A midnight (UTC) years after the genesis block. */
export const midnight = Date.UTC(2030, 0, 1) / 1000;

/** A chain with two real pools: `usd` and `token`, and `token` and `other`. */
export interface Market {
  readonly chain: TestChain;
  readonly exchange: TestExchange;
  readonly usd: Address;
  readonly token: Address;
  readonly other: Address;
  readonly pairs: readonly [Address, Address];
  /** Mines a block with one swap at a timestamp. */
  swap(time: number, amount: bigint, path: readonly Address[]): Promise<void>;
  /** Swaps at random times in a time range. */
  trade(seed: string, from: number, to: number): Promise<void>;
}

/** Deploys the exchange before midnight, with pools of 400,000 `usd` and 100,000 `token`, and of 100,000 `token` and 50,000 `other`. */
export const openMarket = async (): Promise<Market> => {
  const chain = await startTestChain();
  const [owner] = chain.accounts as [Address];
  const deploy = async (name: string) => (await chain.deploy(artifacts.erc20(), [name, name])).toLowerCase() as Address;
  const exchange = await deployExchange(chain, await deploy("W"));
  const [usd, token, other] = [await deploy("USD"), await deploy("T"), await deploy("O")];
  await mineTransactions(
    chain,
    [usd, token, other].map((coin) => mint(coin, owner, 10n ** 9n * unit)),
  );
  await mineTransactions(
    chain,
    [usd, token, other].map((coin) => approve(owner, coin, exchange.router)),
  );
  await mineTransactions(chain, [exchange.addLiquidity(owner, [usd, token], [400_000n * unit, 100_000n * unit])], midnight - 5_000);
  await mineTransactions(chain, [exchange.addLiquidity(owner, [token, other], [100_000n * unit, 50_000n * unit])]);
  const pairs = [await exchange.pairOf(usd, token), await exchange.pairOf(token, other)] as const;
  const swap = async (time: number, amount: bigint, path: readonly Address[]): Promise<void> => {
    await mineTransactions(chain, [exchange.swap(owner, amount, path)], time);
  };
  return {
    chain,
    exchange,
    usd,
    token,
    other,
    pairs,
    swap,
    trade: async (seed, from, to) => {
      const random = createRandom(seed);
      const paths = [
        [usd, token],
        [token, usd],
        [token, other],
        [other, token],
        [usd, token, other],
      ];
      for (let time = from + random.between(1, 2_000); time < to; time += random.between(1, 9_000)) {
        await swap(time, BigInt(random.between(10, 9_000)) * unit, paths[random.between(0, 4)] as Address[]);
      }
    },
  };
};

/** A pair's reserves and supply after one block. */
export interface Reserves {
  readonly time: number;
  readonly amounts: readonly [bigint, bigint];
  readonly supply: bigint;
}

/** Reads a pair's reserves from the node at every block, in the order of the tokens. */
export const reservesOf = async (chain: TestChain, pair: Address, tokens: readonly [Address, Address]): Promise<Reserves[]> => {
  const head = await chain.head();
  const isReversed = tokens[0] > tokens[1];
  const history: Reserves[] = [];
  for (let height = 0; height <= head; height += 1) {
    const number = `0x${height.toString(16)}`;
    const [code, block] = await Promise.all([
      chain.rpc<string>("eth_getCode", [pair, number]),
      chain.rpc<{ timestamp: string }>("eth_getBlockByNumber", [number, false]),
    ]);
    if (code === "0x") continue;
    const [left, right] = await readContract<readonly [bigint, bigint]>(chain, uniswapV2.pair(), pair, "getReserves", [], height);
    const supply = await readContract<bigint>(chain, uniswapV2.pair(), pair, "totalSupply", [], height);
    history.push({ time: Number(block.timestamp), amounts: isReversed ? [right, left] : [left, right], supply });
  }
  return history;
};
