import type { Random } from "../../../../demo/story/random.ts";
import { type Address, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { contracts } from "./contracts.ts";

/** Token ids of the collection. */
export const ids = [0n, 1n, 2n, 3n, 4n, 5n];
const maxUint256 = 2n ** 256n - 1n;

/** Contracts whose tokens four people own and approve. */
export interface ApprovedContracts {
  readonly people: readonly Address[];
  readonly spenders: readonly Address[];
  /** ERC-20 tokens; the last one wraps the native token. */
  readonly coins: readonly { readonly address: Address; readonly artifact: ReturnType<typeof contracts> }[];
  /** ERC-721. */
  readonly cards: Address;
  /** ERC-1155. */
  readonly editions: Address;
  /** Transfers its caller's tokens and those of others. */
  readonly router: Address;
}

/** Deploys the contracts and mints tokens to each person. */
export const deployApprovedContracts = async (chain: TestChain): Promise<ApprovedContracts> => {
  const people = chain.accounts.slice(0, 4) as Address[];
  const oldCoin = await chain.deploy(artifacts.erc20(), ["Old", "OLD"]);
  const coin = await chain.deploy(contracts("Coin"), ["NEW"]);
  const feeCoin = await chain.deploy(contracts("FeeCoin"));
  const weth = await chain.deploy(artifacts.weth());
  const coins = [
    { address: oldCoin, artifact: artifacts.erc20() },
    { address: coin, artifact: contracts("Coin") },
    { address: feeCoin, artifact: contracts("FeeCoin") },
    { address: weth, artifact: artifacts.weth() },
  ];
  const cards = await chain.deploy(artifacts.erc721(), ["Cards", "CARD", "ipfs://"]);
  const editions = await chain.deploy(artifacts.erc1155(), ["ipfs://"]);
  const router = await chain.deploy(contracts("Router"));
  const spenders = [...people, router];
  for (const owner of people) {
    for (const { address, artifact } of coins.slice(0, 3)) await chain.send(encodeCall(artifact, address, "mint", [owner, 500n]));
    await chain.send({ from: owner, ...encodeCall(artifacts.weth(), weth, "deposit"), value: 500n });
    await chain.send(encodeCall(artifacts.erc1155(), editions, "mint", [owner, 1n, 5n, "0x"]));
  }
  await chain.send(...ids.map(() => encodeCall(artifacts.erc721(), cards, "mint", [people[0]])));
  await chain.mine();
  return { people, spenders, coins, cards, editions, router };
};

/** A random transaction; some fail, as on a real chain. */
export const randomTransaction = (random: Random, contractsOfChain: ApprovedContracts): TestTransaction => {
  const { people, spenders, coins, cards, editions, router } = contractsOfChain;
  const coin = random.pick(coins);
  const [owner, spender, to] = [random.pick(people), random.pick(spenders), random.pick(people)];
  const [amount, id] = [BigInt(random.between(0, 60)), BigInt(random.between(0, 5))];
  const allowance = random.pick([amount, amount, 0n, maxUint256, 2n ** 96n - 1n]);
  const callCoin = (from: Address, name: string, args: readonly unknown[]) => ({
    from,
    ...encodeCall(coin.artifact, coin.address, name, args),
  });
  const callCards = (from: Address, name: string, args: readonly unknown[]) => ({
    from,
    ...encodeCall(artifacts.erc721(), cards, name, args),
  });
  const pull = (from: Address, ...args: readonly unknown[]) => ({ from, ...encodeCall(contracts("Router"), router, "pull", args) });
  const person = random.pick(people);
  return random.pick<TestTransaction>([
    callCoin(owner, "approve", [spender, allowance]),
    callCoin(owner, "approve", [router, allowance]),
    callCoin(owner, "transfer", [to, amount]),
    callCoin(person, "transferFrom", [owner, to, amount / 4n]),
    callCoin(person, "transferFrom", [owner, to, amount / 4n]),
    // A router transfers its caller's tokens, and another owner's.
    ...[2n, 3n, 4n].map((part) => pull(owner, coin.address, owner, to, amount / part)),
    ...[2n, 3n].map((part) => pull(person, coin.address, owner, to, amount / part)),
    callCards(owner, "approve", [random.pick([...spenders, zeroAddress]), id]),
    callCards(owner, "setApprovalForAll", [spender, random.oneIn(2)]),
    callCards(person, "transferFrom", [owner, to, id]),
    { from: person, ...encodeCall(contracts("Router"), router, "pullToken", [cards, owner, to, id]) },
    { from: owner, ...encodeCall(artifacts.erc1155(), editions, "setApprovalForAll", [spender, random.oneIn(2)]) },
  ]);
};
