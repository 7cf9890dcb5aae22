import { privateKeyToAccount } from "viem/accounts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { auditApprovals } from "../../../../runtime/domains/approvals/audit.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { call, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { type Answer, callsOf, type Following, startFollowing, withMulticall, wordsOf } from "./support.ts";

/** anvil's first account, whose key everybody knows: it signs the permits. */
const signer = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const largest = 2n ** 256n - 1n;

let chain: TestChain;
let test: TestDatabase;
let following: Following;
let [owner, spender, other]: [Address, Address, Address] = ["0x", "0x", "0x"];
let coin: Address;
let router: Address;
let nonce = 0n;

const use = (name: string, to: Address, from: Address, functionName: string, args: readonly unknown[]) => ({
  from,
  ...call(contracts(name), to, functionName, args),
});
const take = (by: Address, amount: bigint) => use("SilentPermit", coin, by, "transferFrom", [owner, other, amount]);
const pull = (by: Address, amount: bigint) => use("Router", router, by, "pull", [coin, owner, other, amount]);
const mineAll = async (...transactions: readonly TestTransaction[]) => {
  await chain.send(...transactions);
  await chain.mine();
};

/** A transaction in which somebody else brings the owner's permit. */
const permit = async (to: Address, allowed = true): Promise<TestTransaction> => {
  const signature = await signer.signTypedData({
    domain: { name: "Coin", version: "1", chainId: 31337, verifyingContract: coin },
    types: {
      Permit: ["address holder", "address spender", "uint256 nonce", "uint256 expiry", "bool allowed"].map((field) => {
        const [type = "", name = ""] = field.split(" ");
        return { type, name };
      }),
    },
    primaryType: "Permit",
    message: { holder: owner, spender: to, nonce, expiry: 0n, allowed },
  });
  const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number.parseInt(signature.slice(130), 16)];
  nonce += 1n;
  return use("SilentPermit", coin, other, "permit", [owner, to, nonce - 1n, 0n, allowed, v, r, s]);
};

/** What is served of the coin, by spender. */
const served = async (wallet = owner): Promise<Record<string, string | null>> => {
  const { items } = await following.get(`approvals/${wallet}/`);
  const item = items.find((one: Answer) => one.token_address === coin);
  return Object.fromEntries((item?.spenders ?? []).map((one: Answer) => [one.spender_address, one.allowance]));
};
const nodeSays = async (to: Address) => (await wordsOf(chain, [callsOf.allowance(coin, owner, to)], await chain.head()))[0];
const known = () => test.database.query("SELECT owner, token, spender FROM allowances");

beforeEach(async () => {
  chain = await startTestChain();
  await withMulticall(chain);
  [owner, spender, other] = chain.accounts.slice(0, 3) as [Address, Address, Address];
  nonce = 0n;
  coin = await chain.deploy(contracts("SilentPermit"), []);
  router = await chain.deploy(contracts("Router"));
  await mineAll(use("SilentPermit", coin, owner, "mint", [owner, 1_000n]));
  test = await createTestDatabase();
  following = await startFollowing(chain, test.database);
});
afterEach(async () => {
  await following?.end();
  await test?.drop();
  await chain?.stop();
});

describe("an allowance that no event gave", () => {
  it.each([
    ["an account that calls the token", () => spender, () => take(spender, 30n)],
    ["a contract that the owner calls", () => router, () => pull(owner, 30n)],
    ["a contract that somebody else calls and tells whose tokens to take", () => router, () => pull(spender, 30n)],
  ])("is listed as soon as it is used: by %s", async (_, whose, using) => {
    await mineAll(await permit(whose()));
    await following.settle();
    expect([await served(), await nodeSays(whose())]).toEqual([{}, largest]);
    await mineAll(using());
    await following.settle();
    expect(await served()).toEqual({ [whose()]: "UNLIMITED" });
    const head = await chain.head();
    const [use] = (await following.get(`approvals/${owner}/`)).items[0].spenders;
    const { transactions } = await chain.rpc<{ transactions: string[] }>("eth_getBlockByNumber", [`0x${head.toString(16)}`, false]);
    // No event set it: the transfer that showed it is where it is known from.
    expect([use.block_height, use.tx_hash]).toEqual([head, transactions[0]]);
  });

  it("is not there any more once it is taken back without an event, and there again once it is given and used again", async () => {
    await mineAll(await permit(spender), take(spender, 30n));
    await following.settle();
    expect(await served()).toEqual({ [spender]: "UNLIMITED" });
    await mineAll(await permit(spender, false));
    // Nothing says so: the round of comparing comes to it.
    await following.settle(4);
    expect([await served(), await nodeSays(spender)]).toEqual([{}, 0n]);
    await mineAll(await permit(spender), take(spender, 30n));
    await following.settle(1);
    expect([await served(), await nodeSays(spender)]).toEqual([{ [spender]: "UNLIMITED" }, largest]);
  });

  it("goes with a reorganisation that takes its use, and comes with one that is used in another block", async () => {
    await mineAll(await permit(spender));
    await mineAll(take(spender, 30n));
    await following.settle();
    expect(await served()).toEqual({ [spender]: "UNLIMITED" });
    await chain.rpc("anvil_reorg", [1, []]);
    await chain.mine();
    await following.settle();
    expect([await served(), await known()]).toEqual([{}, []]);
    await mineAll(take(spender, 30n));
    await following.settle();
    expect(await served()).toEqual({ [spender]: "UNLIMITED" });
  });

  it("is what an audit finds no difference in, and what an index that is made later has as well", async () => {
    await mineAll(await permit(spender), await permit(router));
    await mineAll(take(spender, 30n), pull(owner, 5n));
    await following.settle();
    const expected = { [spender]: "UNLIMITED", [router]: "UNLIMITED" };
    expect(await served()).toEqual(expected);
    const rows = await auditApprovals(test.database, following.source, 31337, await chain.head(), 100);
    expect(rows.map(({ differences }) => differences)).toEqual([[], [], []]);
    await test.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection = 'approvals'");
    await following.end();
    following = await startFollowing(chain, test.database);
    await following.settle();
    expect(await served()).toEqual(expected);
  });
});

describe("who moves tokens without an allowance", () => {
  it("is entered nowhere: owners, pools that pay out, and contracts that send their own", async () => {
    const [till, desk] = [await chain.deploy(contracts("Till")), await chain.deploy(contracts("Desk"))];
    await mineAll(use("SilentPermit", coin, owner, "transfer", [till, 500n]));
    await mineAll(
      use("Till", till, spender, "pay", [coin, other, 5n]),
      use("Till", till, owner, "pay", [coin, owner, 5n]),
      use("SilentPermit", coin, owner, "transferFrom", [owner, other, 0n]),
      use("SilentPermit", coin, owner, "mint", [owner, 5n]),
    );
    await following.settle();
    expect(await known()).toEqual([]);
    // One that the transaction names is asked about, and is allowed nothing.
    await mineAll(use("Desk", desk, spender, "ask", [till, coin, other, 5n]));
    await following.settle();
    expect(await known()).toEqual([{ owner: till, token: coin, spender: desk }]);
    expect([await served(), await served(till)]).toEqual([{}, {}]);
  });

  it("cannot have more than sixteen owners entered by one transaction, wherever it names them", async () => {
    const [crowd, crier] = [await chain.deploy(contracts("Crowd")), await chain.deploy(contracts("Crier"))];
    const owners = Array.from({ length: 100 }, (_, place): Address => `0x${(place + 1).toString(16).padStart(40, "a")}`);
    await mineAll({ ...use("Crier", crier, other, "say", [crowd, owners]), gas: 3_000_000n });
    await following.settle();
    expect(await known()).toHaveLength(16);
  });
});
