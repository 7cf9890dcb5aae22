import { privateKeyToAccount } from "viem/accounts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { auditApprovals } from "../../../../runtime/domains/approvals/audit.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { type AllowanceIndex, deployMulticall, type ResponseData, readWords, startAllowanceIndex, viewCalls } from "./support.ts";

/** anvil's first account, whose private key is well known; it signs the permits. */
const signer = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const maxUint256 = 2n ** 256n - 1n;

let chain: TestChain;
let testDatabase: TestDatabase;
let index: AllowanceIndex;
let [owner, spender, other]: [Address, Address, Address] = ["0x", "0x", "0x"];
let coin: Address;
let router: Address;
let nonce = 0n;

const callContract = (name: string, to: Address, from: Address, functionName: string, args: readonly unknown[]) => ({
  from,
  ...encodeCall(contracts(name), to, functionName, args),
});
const transferFrom = (sender: Address, amount: bigint) =>
  callContract("SilentPermit", coin, sender, "transferFrom", [owner, other, amount]);
const pull = (sender: Address, amount: bigint) => callContract("Router", router, sender, "pull", [coin, owner, other, amount]);
const mineAll = async (...transactions: readonly TestTransaction[]) => {
  await chain.send(...transactions);
  await chain.mine();
};

/** Returns a transaction in which another account submits the owner's permit. */
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
  return callContract("SilentPermit", coin, other, "permit", [owner, to, nonce - 1n, 0n, allowed, v, r, s]);
};

/** Returns the served allowances of the coin, by spender. */
const servedAllowances = async (wallet = owner): Promise<Record<string, string | null>> => {
  const { items } = await index.get(`approvals/${wallet}/`);
  const item = items.find((candidate: ResponseData) => candidate.token_address === coin);
  return Object.fromEntries((item?.spenders ?? []).map((entry: ResponseData) => [entry.spender_address, entry.allowance]));
};
const nodeAllowance = async (to: Address) => (await readWords(chain, [viewCalls.allowance(coin, owner, to)], await chain.head()))[0];
const storedKeys = () => testDatabase.database.query("SELECT owner, token, spender FROM allowances");

beforeEach(async () => {
  chain = await startTestChain();
  await deployMulticall(chain);
  [owner, spender, other] = chain.accounts.slice(0, 3) as [Address, Address, Address];
  nonce = 0n;
  coin = await chain.deploy(contracts("SilentPermit"), []);
  router = await chain.deploy(contracts("Router"));
  await mineAll(callContract("SilentPermit", coin, owner, "mint", [owner, 1_000n]));
  testDatabase = await createTestDatabase();
  index = await startAllowanceIndex(chain, testDatabase.database);
});
afterEach(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

describe("an allowance that was set without an event", () => {
  it.each([
    ["an account that calls the token", () => spender, () => transferFrom(spender, 30n)],
    ["a contract that the owner calls", () => router, () => pull(owner, 30n)],
    ["a contract that another account calls with the owner's address", () => router, () => pull(spender, 30n)],
  ])("is listed once it is used by %s", async (_, getSpender, getTransfer) => {
    await mineAll(await permit(getSpender()));
    await index.sync();
    expect([await servedAllowances(), await nodeAllowance(getSpender())]).toEqual([{}, maxUint256]);
    await mineAll(getTransfer());
    await index.sync();
    expect(await servedAllowances()).toEqual({ [getSpender()]: "UNLIMITED" });
    const head = await chain.head();
    const [entry] = (await index.get(`approvals/${owner}/`)).items[0].spenders;
    const { transactions } = await chain.rpc<{ transactions: string[] }>("eth_getBlockByNumber", [`0x${head.toString(16)}`, false]);
    // No event set it, so it is listed with the block and hash of the transfer that used it.
    expect([entry.block_height, entry.tx_hash]).toEqual([head, transactions[0]]);
  });

  it("is removed after a revocation without an event, and listed again once a new permit is used", async () => {
    await mineAll(await permit(spender), transferFrom(spender, 30n));
    await index.sync();
    expect(await servedAllowances()).toEqual({ [spender]: "UNLIMITED" });
    await mineAll(await permit(spender, false));
    // No event reports the revocation; the sweep finds it.
    await index.sync(4);
    expect([await servedAllowances(), await nodeAllowance(spender)]).toEqual([{}, 0n]);
    await mineAll(await permit(spender), transferFrom(spender, 30n));
    await index.sync(1);
    expect([await servedAllowances(), await nodeAllowance(spender)]).toEqual([{ [spender]: "UNLIMITED" }, maxUint256]);
  });

  it("is removed by a reorganisation that drops its use, and listed again with a use in another block", async () => {
    await mineAll(await permit(spender));
    await mineAll(transferFrom(spender, 30n));
    await index.sync();
    expect(await servedAllowances()).toEqual({ [spender]: "UNLIMITED" });
    await chain.rpc("anvil_reorg", [1, []]);
    await chain.mine();
    await index.sync();
    expect([await servedAllowances(), await storedKeys()]).toEqual([{}, []]);
    await mineAll(transferFrom(spender, 30n));
    await index.sync();
    expect(await servedAllowances()).toEqual({ [spender]: "UNLIMITED" });
  });

  it("passes the audit and is found again by a rebuild", async () => {
    await mineAll(await permit(spender), await permit(router));
    await mineAll(transferFrom(spender, 30n), pull(owner, 5n));
    await index.sync();
    const expected = { [spender]: "UNLIMITED", [router]: "UNLIMITED" };
    expect(await servedAllowances()).toEqual(expected);
    const rows = await auditApprovals(testDatabase.database, index.source, 31337, await chain.head(), 100);
    expect(rows.map(({ differences }) => differences)).toEqual([[], [], []]);
    await testDatabase.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection = 'approvals'");
    await index.end();
    index = await startAllowanceIndex(chain, testDatabase.database);
    await index.sync();
    expect(await servedAllowances()).toEqual(expected);
  });
});

describe("an account that moves tokens without an allowance", () => {
  it("is not stored as a spender if it is an owner, a pool that pays out, or a contract that sends its own tokens", async () => {
    const [till, desk] = [await chain.deploy(contracts("Till")), await chain.deploy(contracts("Desk"))];
    await mineAll(callContract("SilentPermit", coin, owner, "transfer", [till, 500n]));
    await mineAll(
      callContract("Till", till, spender, "pay", [coin, other, 5n]),
      callContract("Till", till, owner, "pay", [coin, owner, 5n]),
      callContract("SilentPermit", coin, owner, "transferFrom", [owner, other, 0n]),
      callContract("SilentPermit", coin, owner, "mint", [owner, 5n]),
    );
    await index.sync();
    expect(await storedKeys()).toEqual([]);
    // The calldata contains the payer (till), so its allowance for desk is read; it is 0.
    await mineAll(callContract("Desk", desk, spender, "requestPayment", [till, coin, other, 5n]));
    await index.sync();
    expect(await storedKeys()).toEqual([{ owner: till, token: coin, spender: desk }]);
    expect([await servedAllowances(), await servedAllowances(till)]).toEqual([{}, {}]);
  });

  it("cannot cause rows for more than sixteen owners in one transaction", async () => {
    const [crowd, crowdCaller] = [await chain.deploy(contracts("Crowd")), await chain.deploy(contracts("CrowdCaller"))];
    const owners = Array.from({ length: 100 }, (_, position): Address => `0x${(position + 1).toString(16).padStart(40, "a")}`);
    await mineAll({ ...callContract("CrowdCaller", crowdCaller, other, "callCrowd", [crowd, owners]), gas: 3_000_000n });
    await index.sync();
    expect(await storedKeys()).toHaveLength(16);
  });
});
