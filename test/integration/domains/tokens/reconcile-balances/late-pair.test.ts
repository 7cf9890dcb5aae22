import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { balancesWithoutBase, balanceTables } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/bases/apply-bases.ts";
import { createTokenQueries } from "../../../../../runtime/domains/tokens/queries/index.ts";
import { type Address, type Hex, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { artifacts, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { chainOf } from "../../../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../../../support/rpc-proxy.ts";
import { uniswapV2 } from "../../pools/support.ts";
import { countUnknown } from "./late-start/count-unknown.ts";
import { hideOldState } from "./late-start/hide-old-state.ts";
import { balancesOf, type Reconciliation, startReconciliation } from "./support.ts";

describe("a Uniswap V2 pair that received its first liquidity after the first block of a late index", () => {
  let pairChain: TestChain;
  let node: RpcProxy;
  let pair: Address;
  let first: number;
  let testDatabase: TestDatabase;
  let reconciliation: Reconciliation | undefined;
  beforeAll(async () => {
    pairChain = await startTestChain();
    node = await startRpcProxy(pairChain.url);
    const [owner, other] = pairChain.accounts as [Address, Address];
    const [gold, iron] = [
      await pairChain.deploy(artifacts.erc20(), ["Gold", "G"]),
      await pairChain.deploy(artifacts.erc20(), ["Iron", "I"]),
    ];
    const factory = await pairChain.deploy(uniswapV2.factory(), [owner]);
    const mineAll = async (...transactions: readonly TestTransaction[]) => {
      await pairChain.send(...transactions);
      await pairChain.mine();
    };
    await mineAll({ gas: 8_000_000n, ...encodeCall(uniswapV2.factory(), factory, "createPair", [gold, iron]) });
    const pairWord = await pairChain.rpc<Hex>("eth_call", [encodeCall(uniswapV2.factory(), factory, "getPair", [gold, iron]), "latest"]);
    pair = `0x${pairWord.slice(26)}`;
    first = (await pairChain.head()) + 1;
    const callPair = (method: string, args: readonly unknown[]) => ({
      gas: 1_000_000n,
      ...encodeCall(uniswapV2.pair(), pair, method, args),
    });
    await mineAll(
      encodeCall(artifacts.erc20(), gold, "mint", [pair, 1_000_000n]),
      encodeCall(artifacts.erc20(), iron, "mint", [pair, 1_000_000n]),
    );
    await mineAll(callPair("mint", [owner]));
    await mineAll(callPair("transfer", [other, 5_000n]), callPair("transfer", [pair, 9_000n]));
    await mineAll(callPair("burn", [owner]));
    await pairChain.mine();
    testDatabase = await createTestDatabase();
  });
  afterAll(async () => {
    await reconciliation?.end();
    await testDatabase?.drop();
    await node?.close();
    await pairChain?.stop();
  });

  it("is event-sourced and has the zero address among its holders", async () => {
    hideOldState(node, await pairChain.head());
    reconciliation = await startReconciliation(pairChain, node.url, testDatabase.database, { chain: chainOf({ from: first }) });
    await reconciliation.runFor(0);
    // Transfers from and to the zero address are mints and burns, so its balance is not their sum and is read from the contract.
    const withoutBase = await balancesWithoutBase(testDatabase.database, 31337, balanceTables, [], 1_000);
    const owners = withoutBase.filter(({ token }) => token === pair).map(({ owner }) => owner);
    expect(owners).toContain(pair);
    expect(owners).not.toContain(zeroAddress);
    await reconciliation.runFor(6);
    expect(await testDatabase.database.query("SELECT token FROM node_sourced_tokens")).toEqual([]);
    expect(await countUnknown(testDatabase.database)).toBe(0);
    const height = await pairChain.head();
    const accountsAndPair = [zeroAddress, pair, ...pairChain.accounts];
    const returned = await balancesOf(
      pairChain,
      accountsAndPair.map((owner) => ({ token: pair, owner, height })),
    );
    // MINIMUM_LIQUIDITY of UniswapV2Pair.
    expect(returned[0]).toBe("1000");
    const expected = accountsAndPair
      .map((owner, position) => ({ owner, balance: returned[position] ?? "0" }))
      .filter(({ balance }) => balance !== "0")
      .sort((left, right) => Number(BigInt(right.balance) - BigInt(left.balance)));
    const queries = createTokenQueries(testDatabase.database);
    expect(await queries.holdersAt(31337, pair, 1, height, { limit: 100, offset: 0 })).toEqual(expected);
    const unreconciled = await testDatabase.database.query("SELECT 1 FROM balance_periods WHERE owner = $1 AND net_change IS NOT NULL", [
      Buffer.from(zeroAddress.slice(2), "hex"),
    ]);
    expect(unreconciled).toEqual([]);
    const supply = await pairChain.rpc<Hex>("eth_call", [{ to: pair, data: "0x18160ddd" }, `0x${height.toString(16)}`]);
    expect(await queries.tokenTotalsAt(31337, pair, 1, height)).toMatchObject({
      holders: expected.length,
      supply: BigInt(supply).toString(),
    });
    // The node has no state of earlier blocks, so the zero address's balance there is unknown.
    expect((await queries.holdersAt(31337, pair, 1, height - 1, { limit: 100, offset: 0 })).map(({ owner }) => owner)).not.toContain(
      zeroAddress,
    );
    expect((await queries.tokenTotalsAt(31337, pair, 1, height - 1))?.holders).toBe(expected.length - 1);
  });
});
