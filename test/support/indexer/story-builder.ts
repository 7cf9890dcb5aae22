import type { Address, Hex } from "viem";
import { artifacts, encodeCall, type TestChain } from "../chain.ts";

/** Joins parts of handwritten init code. */
const hex = (...parts: readonly string[]): Hex => `0x${parts.join("")}`;
const sink: Address = "0x9999999999999999999999999999999999999999";
const word = (value: number) => value.toString(16).padStart(2, "0");

/** CALL(gas, to, value) without data. */
const callCode = (to: Address, value: number) => `6000600060006000${`60${word(value)}`}73${to.slice(2)}5af150`;

/** Init code that creates a child contract from the code appended to it, and sends it a value. */
const createChild = (child: string, value: number): Hex => {
  const length = word(child.length / 2);
  const outer = `60${length}600f60003960${length}600060${word(value)}f000`;
  return hex(outer, child);
};

const unusualCreations = {
  sink,
  sendsFromInitCode: hex(callCode(sink, 5), "00"),
  /** The child sends 3 and then reverts: neither the 3 nor the 7 sent to it may be indexed. */
  failedChild: createChild(`${callCode(sink, 3)}60006000fd`, 7),
  goodChild: createChild(`${callCode(sink, 3)}00`, 7),
  destroysToSink: hex(`73${sink.slice(2)}ff`),
  destroysToItself: hex("30ff"),
  reverts: hex("60006000fd"),
} as const;

export interface Story {
  readonly erc20: Address;
  readonly erc721: Address;
  readonly erc1155: Address;
  readonly weth: Address;
}

/** Builds a chain with every kind of transfer, in three blocks per round. */
export const buildStory = async (chain: TestChain, rounds = 1): Promise<Story> => {
  const [owner, second, third, miner] = chain.accounts as [Address, Address, Address, Address];
  await chain.rpc("anvil_setCoinbase", [miner]);
  const erc20 = await chain.deploy(artifacts.erc20(), ["Gold", "GLD"]);
  const erc721 = await chain.deploy(artifacts.erc721(), ["Art", "ART", "ipfs://"]);
  const erc1155 = await chain.deploy(artifacts.erc1155(), ["ipfs://"]);
  const weth = await chain.deploy(artifacts.weth());
  const story = { erc20, erc721, erc1155, weth };
  for (let round = 0; round < rounds; round += 1) await addRound(chain, story, round, [owner, second, third]);
  return story;
};

/** Adds one round's three blocks. */
export const addRound = async (
  chain: TestChain,
  { erc20, erc721, erc1155, weth }: Story,
  round: number,
  [owner, second, third]: readonly [Address, Address, Address],
): Promise<void> => {
  const token = artifacts.erc20();
  const art = artifacts.erc721();
  const editions = artifacts.erc1155();
  const wrapped = artifacts.weth();
  const fresh: Address = `0x${(0xabc000 + round).toString(16).padStart(40, "0")}`;
  await chain.send(
    encodeCall(token, erc20, "mint", [owner, 1_000n]),
    encodeCall(art, erc721, "mint", [owner]),
    encodeCall(editions, erc1155, "mintBatch", [owner, [1n, 2n], [10n, 20n], "0x"]),
    { ...encodeCall(wrapped, weth, "deposit"), value: 500n },
    { to: fresh, value: 12_345n, gas: 21_000n },
    { from: second, to: second, value: 99n, gas: 21_000n },
  );
  await chain.mine();
  await chain.send(
    encodeCall(token, erc20, "transfer", [second, 250n]),
    encodeCall(token, erc20, "transfer", [third, 0n]),
    encodeCall(token, erc20, "transfer", [owner, 10n]),
    { from: third, ...encodeCall(token, erc20, "transfer", [second, 10n ** 30n]) },
    encodeCall(art, erc721, "transferFrom", [owner, second, BigInt(round)]),
    encodeCall(editions, erc1155, "safeTransferFrom", [owner, second, 1n, 4n, "0x"]),
    encodeCall(editions, erc1155, "safeBatchTransferFrom", [owner, third, [1n, 2n], [1n, 2n], "0x"]),
    encodeCall(editions, erc1155, "safeBatchTransferFrom", [owner, third, [], [], "0x"]),
    encodeCall(wrapped, weth, "withdraw", [200n]),
    encodeCall(wrapped, weth, "transfer", [third, 50n]),
    encodeCall(token, erc20, "burn", [40n]),
  );
  await chain.mine();
  await chain.send(
    encodeCall(token, erc20, "approve", [second, BigInt(100 + round)]),
    { from: second, ...encodeCall(token, erc20, "transferFrom", [owner, third, 5n]) },
    { from: second, ...encodeCall(art, erc721, "approve", [third, BigInt(round)]) },
    { from: second, ...encodeCall(editions, erc1155, "setApprovalForAll", [third, round % 2 === 0]) },
    { data: unusualCreations.sendsFromInitCode, value: 30n },
    { data: unusualCreations.failedChild, value: 30n },
    { data: unusualCreations.goodChild, value: 30n },
    { data: unusualCreations.destroysToSink, value: 31n },
    { data: unusualCreations.destroysToItself, value: 32n },
    { data: unusualCreations.reverts, value: 33n },
    { from: second, to: third, value: 7n, gas: 21_000n, maxFeePerGas: 5_000_000_000n, maxPriorityFeePerGas: 2_500_000_000n },
  );
  await chain.mine();
};
