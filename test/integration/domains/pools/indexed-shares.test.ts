import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { compileSolidity } from "../../../support/solidity.ts";
import { mineTransactions, readContract } from "./support.ts";

/** A pair whose share token indexes Transfer's amount, so the log has the ERC-721 format. */
const contracts = compileSolidity(`
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

contract IndexedPair {
  event Transfer(address indexed from, address indexed to, uint256 indexed value);
  event Sync(uint112 reserve0, uint112 reserve1);
  event Mint(address indexed sender, uint256 amount0, uint256 amount1);
  event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to);
  uint8 public constant decimals = 18;
  uint256 public totalSupply;
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;
  uint112 internal reserve;

  function add(uint112 amount) external {
    totalSupply += amount;
    balanceOf[msg.sender] += amount;
    reserve += amount;
    emit Transfer(address(0), msg.sender, amount);
    emit Sync(reserve, reserve);
    emit Mint(msg.sender, amount, amount);
  }

  function remove(uint112 amount) external {
    totalSupply -= amount;
    balanceOf[msg.sender] -= amount;
    reserve -= amount;
    emit Transfer(msg.sender, address(this), amount);
    emit Transfer(address(this), address(0), amount);
    emit Sync(reserve, reserve);
    emit Burn(msg.sender, amount, amount, msg.sender);
  }
}

contract IndexedFactory {
  event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count);
  IndexedPair public pair;
  function create(address token0, address token1) external {
    pair = new IndexedPair();
    emit PairCreated(token0, token1, address(pair), 1);
  }
}
`);

let chain: TestChain;
let testDatabase: TestDatabase;
let pair: Address;

const index = async () => {
  const running = await createTestIndexer(chain.url, testDatabase.database, { projections: [tokensProjection, poolsProjection] });
  await running.runToHead(await chain.head());
  await running.close();
};

const poolRows = async () => {
  const tables = await dump(testDatabase.database);
  return Object.fromEntries(poolsProjection.tables.map(({ name }) => [name, tables[name]]));
};

beforeAll(async () => {
  chain = await startTestChain();
  const [, provider] = chain.accounts as [Address, Address];
  const tokens: Address[] = [];
  for (const name of ["One", "Two"]) tokens.push(await chain.deploy(artifacts.erc20(), [name, name]));
  const factory = await chain.deploy(contracts("IndexedFactory"));
  await mineTransactions(chain, [encodeCall(contracts("IndexedFactory"), factory, "create", tokens)]);
  pair = (
    await readContract<Address>(chain, contracts("IndexedFactory"), factory, "pair", [], await chain.head())
  ).toLowerCase() as Address;
  const callPair = (name: string, amount: bigint) => ({ from: provider, ...encodeCall(contracts("IndexedPair"), pair, name, [amount]) });
  await mineTransactions(chain, [callPair("add", 1_000n)]);
  // An unrelated ERC-721 token.
  const cards = await chain.deploy(artifacts.erc721(), ["Cards", "CARD", "ipfs://"]);
  await mineTransactions(chain, [
    callPair("add", 500n),
    encodeCall(artifacts.erc721(), cards, "mint", [provider]),
    callPair("remove", 200n),
  ]);
  testDatabase = await createTestDatabase();
  await index();
}, 120_000);
afterAll(async () => {
  await testDatabase?.drop();
  await chain?.stop();
});

describe("the pools projection", () => {
  it("counts the shares of a pair with indexed amounts, and their holders", async () => {
    const [state] = await testDatabase.database.query<{ supply: string }>(
      "SELECT supply FROM pool_states WHERE pool = $1 ORDER BY block_number DESC LIMIT 1",
      [Buffer.from(pair.slice(2), "hex")],
    );
    const supply = await readContract<bigint>(chain, contracts("IndexedPair"), pair, "totalSupply", [], await chain.head());
    expect(state?.supply).toBe(supply.toString());
    const actions = await testDatabase.database.query("SELECT liquidity, to_address FROM pool_actions ORDER BY block_number, log_index");
    const to_address = chain.accounts[1]?.toLowerCase();
    expect(actions).toEqual(["1000", "500", "200"].map((liquidity) => ({ liquidity, to_address })));
  });

  it("stores the same rows when only pools are rebuilt as when they are indexed with tokens", async () => {
    const before = await poolRows();
    expect(before.pool_actions).toHaveLength(3);
    await testDatabase.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection = $1", [poolsProjection.id]);
    await index();
    expect(await poolRows()).toEqual(before);
  });
});
