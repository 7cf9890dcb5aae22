import type { ChainLog } from "../chain/types.ts";
import type { Address, Hash, Hex } from "../lib/hex.ts";
import type { EventDefinition, PoolEventFields } from "./decoded-block.ts";
import { addressAt, topicAddress, wordAt, wordCount } from "./words.ts";

const define = (
  id: string,
  topic0: Hash,
  { topics, words }: { readonly topics: number; readonly words: number },
  read: (log: ChainLog) => PoolEventFields | null,
): EventDefinition => ({
  id,
  topic0,
  decode: (log, transactionIndex) => {
    if (log.topics.length !== topics || wordCount(log.data) !== words) return null;
    const fact = read(log);
    return fact === null ? null : { address: log.address, transactionIndex, logIndex: log.index, ...fact };
  },
});

/** Uniswap V2's PairCreated(address,address,address,uint256). */
export const pairCreated = define(
  "pairCreated",
  "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9",
  { topics: 3, words: 2 },
  ({ topics, data }) => creationOf("xy=k", topics, addressAt(data, 0), null),
);

/** Uniswap V2's Sync(uint112,uint112). */
export const pairSync = define(
  "pairSync",
  "0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1",
  { topics: 1, words: 2 },
  ({ data }) => {
    const reserve0 = unsigned(wordAt(data, 0), 112n);
    const reserve1 = unsigned(wordAt(data, 1), 112n);
    return reserve0 === null || reserve1 === null ? null : { kind: "poolReserves", reserve0, reserve1 };
  },
);

/** Uniswap V2's Swap(address,uint256,uint256,uint256,uint256,address). */
export const pairSwap = define(
  "pairSwap",
  "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  { topics: 3, words: 4 },
  ({ topics, data }) => {
    const sender = topicAddress(topics[1]);
    const to = topicAddress(topics[2]);
    if (sender === null || to === null) return null;
    return {
      kind: "poolSwap",
      sender,
      to,
      amount0In: wordAt(data, 0),
      amount1In: wordAt(data, 1),
      amount0Out: wordAt(data, 2),
      amount1Out: wordAt(data, 3),
      price: null,
    };
  },
);

/** Uniswap V2's Mint(address,uint256,uint256). */
export const pairMint = define(
  "pairMint",
  "0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f",
  { topics: 2, words: 2 },
  ({ topics, data }) => {
    const sender = topicAddress(topics[1]);
    if (sender === null) return null;
    return { kind: "poolDeposit", sender, to: null, amount0: wordAt(data, 0), amount1: wordAt(data, 1), position: null };
  },
);

/** Uniswap V2's Burn(address,uint256,uint256,address). */
export const pairBurn = define(
  "pairBurn",
  "0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496",
  { topics: 3, words: 2 },
  ({ topics, data }) => {
    const sender = topicAddress(topics[1]);
    const to = topicAddress(topics[2]);
    if (sender === null || to === null) return null;
    return { kind: "poolWithdrawal", sender, to, amount0: wordAt(data, 0), amount1: wordAt(data, 1), position: null };
  },
);

/** Uniswap V3's PoolCreated(address,address,uint24,int24,address); the fee is in millionths. */
export const poolCreated = define(
  "poolCreated",
  "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118",
  { topics: 4, words: 2 },
  ({ topics, data }) => {
    const fee = unsigned(topicWord(topics[3]), 24n);
    return fee === null ? null : creationOf("concentrated", topics, addressAt(data, 1), Number(fee));
  },
);

/** Uniswap V3's Initialize(uint160,int24). */
export const poolInitialize = define(
  "poolInitialize",
  "0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95",
  { topics: 1, words: 2 },
  ({ data }) => {
    const sqrtPriceX96 = unsigned(wordAt(data, 0), 160n);
    const tick = signedTick(wordAt(data, 1));
    return sqrtPriceX96 === null || tick === null ? null : { kind: "poolPrice", sqrtPriceX96, tick };
  },
);

/** Uniswap V3's Swap(address,address,int256,int256,uint160,uint128,int24): amounts are changes in the pool's balances. */
export const poolSwap = define(
  "poolSwap",
  "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  { topics: 3, words: 5 },
  (log) => pricedSwap(log),
);

/** PancakeSwap V3's Swap, with the protocol's share of the fee appended: (…,uint128,uint128). Its other events are Uniswap's. */
export const poolSwapWithFees = define(
  "poolSwapWithFees",
  "0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83",
  { topics: 3, words: 7 },
  (log) => pricedSwap(log),
);

/** Uniswap V3's Mint(address,address,int24,int24,uint128,uint256,uint256). */
export const poolMint = define(
  "poolMint",
  "0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde",
  { topics: 4, words: 4 },
  ({ topics, data }) => {
    const sender = addressAt(data, 0);
    return sender === null ? null : positionChange("poolDeposit", sender, topics, data, 1);
  },
);

/** Uniswap V3's Burn(address,int24,int24,uint128,uint256,uint256). */
export const poolBurn = define(
  "poolBurn",
  "0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c",
  { topics: 4, words: 3 },
  ({ topics, data }) => positionChange("poolWithdrawal", null, topics, data, 0),
);

/** Uniswap V3's Collect(address,address,int24,int24,uint128,uint128): pays out the tokens owed to a position. */
export const poolCollect = define(
  "poolCollect",
  "0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0",
  { topics: 4, words: 3 },
  ({ data }) => (addressAt(data, 0) === null ? null : outgoing(data, 1)),
);

/** Uniswap V3's CollectProtocol(address,address,uint128,uint128): pays out the protocol's share of the fees. */
export const poolCollectProtocol = define(
  "poolCollectProtocol",
  "0x596b573906218d3411850b26a6b437d6c4522fdb43d2d2386263f86d50b8b151",
  { topics: 3, words: 2 },
  ({ data }) => outgoing(data, 0),
);

/** Uniswap V3's Flash(address,address,uint256,uint256,uint256,uint256): the loan is returned, and a fee paid. */
export const poolFlash = define(
  "poolFlash",
  "0xbdbdb71d7860376ba52b25a5028beea23581364a40522f6bcfb86bb1f2dca633",
  { topics: 3, words: 4 },
  ({ data }) => ({ kind: "poolBalanceChange", amount0In: wordAt(data, 2), amount1In: wordAt(data, 3), amount0Out: 0n, amount1Out: 0n }),
);

/** The creation of a pool. In Uniswap V2 and V3, a pool has two different tokens, the lower address first. */
const creationOf = (
  family: "xy=k" | "concentrated",
  topics: readonly Hash[],
  pool: Address | null,
  feePpm: number | null,
): PoolEventFields | null => {
  const token0 = topicAddress(topics[1]);
  const token1 = topicAddress(topics[2]);
  if (token0 === null || token1 === null || pool === null || token0 >= token1) return null;
  return { kind: "poolCreated", family, pool, token0, token1, feePpm };
};

const pricedSwap = ({ topics, data }: ChainLog): PoolEventFields | null => {
  const sender = topicAddress(topics[1]);
  const to = topicAddress(topics[2]);
  const sqrtPriceX96 = unsigned(wordAt(data, 2), 160n);
  const liquidity = unsigned(wordAt(data, 3), 128n);
  const tick = signedTick(wordAt(data, 4));
  if (sender === null || to === null || sqrtPriceX96 === null || liquidity === null || tick === null) return null;
  const [amount0, amount1] = [BigInt.asIntN(256, wordAt(data, 0)), BigInt.asIntN(256, wordAt(data, 1))];
  return {
    kind: "poolSwap",
    sender,
    to,
    amount0In: amount0 > 0n ? amount0 : 0n,
    amount1In: amount1 > 0n ? amount1 : 0n,
    amount0Out: amount0 < 0n ? -amount0 : 0n,
    amount1Out: amount1 < 0n ? -amount1 : 0n,
    price: { sqrtPriceX96, liquidity, tick },
  };
};

/** A change of a position; its liquidity and both amounts start at word `first` of the data. */
const positionChange = (
  kind: "poolDeposit" | "poolWithdrawal",
  sender: Address | null,
  topics: readonly Hash[],
  data: Hex,
  first: number,
): PoolEventFields | null => {
  const owner = topicAddress(topics[1]);
  const tickLower = signedTick(topicWord(topics[2]));
  const tickUpper = signedTick(topicWord(topics[3]));
  const liquidity = unsigned(wordAt(data, first), 128n);
  if (owner === null || tickLower === null || tickUpper === null || liquidity === null) return null;
  return {
    kind,
    sender: sender ?? owner,
    to: owner,
    amount0: wordAt(data, first + 1),
    amount1: wordAt(data, first + 2),
    position: { tickLower, tickUpper, liquidity },
  };
};

/** Two amounts that a pool sends; they start at word `first` of the data. */
const outgoing = (data: Hex, first: number): PoolEventFields | null => {
  const amount0Out = unsigned(wordAt(data, first), 128n);
  const amount1Out = unsigned(wordAt(data, first + 1), 128n);
  return amount0Out === null || amount1Out === null
    ? null
    : { kind: "poolBalanceChange", amount0In: 0n, amount1In: 0n, amount0Out, amount1Out };
};

const topicWord = (topic: Hash | undefined): bigint => (topic === undefined ? 0n : BigInt(topic));

/** The word as an unsigned number of `bits` bits; null if it is larger. */
const unsigned = (word: bigint, bits: bigint): bigint | null => (word >> bits === 0n ? word : null);

/** The word as a tick (int24); null if it is out of range. */
const signedTick = (word: bigint): number | null => {
  const value = BigInt.asIntN(256, word);
  return BigInt.asIntN(24, value) === value ? Number(value) : null;
};
