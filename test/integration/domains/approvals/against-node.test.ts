import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { auditApprovals } from "../../../../runtime/domains/approvals/audit.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { type ApprovedContracts, deployApprovedContracts, ids, randomTransaction } from "./random-approvals.ts";
import { type AllowanceIndex, deployMulticall, type ResponseData, readWords, startAllowanceIndex, viewCalls } from "./support.ts";

/** anvil's first account, whose private key is well known; it signs a permit. */
const signer = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const random = createRandom("approvals against the node");

let chain: TestChain;
let testDatabase: TestDatabase;
let index: AllowanceIndex;
let approved: ApprovedContracts;
let people: ApprovedContracts["people"];
let spenders: ApprovedContracts["spenders"];
let coins: ApprovedContracts["coins"];
let cards: ApprovedContracts["cards"];
let editions: ApprovedContracts["editions"];

beforeAll(async () => {
  chain = await startTestChain();
  await deployMulticall(chain);
  approved = await deployApprovedContracts(chain);
  ({ people, spenders, coins, cards, editions } = approved);
  testDatabase = await createTestDatabase();
  index = await startAllowanceIndex(chain, testDatabase.database, { chain: { wrappedNative: [coins[3]?.address as Address] } });
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const unlimitedOr = (amount: bigint): string => (amount >= 2n ** 255n || amount === 2n ** 96n - 1n ? "UNLIMITED" : amount.toString());

/** Compares all accounts' served approvals with the node's at its head. Returns the number of values compared. */
const compareWithNode = async (): Promise<number> => {
  const height = await chain.head();
  let compared = 0;
  for (const owner of people) {
    const pairs = coins.flatMap(({ address }) => spenders.map((spender) => ({ token: address, spender })));
    const allowances = await readWords(
      chain,
      pairs.map(({ token, spender }) => viewCalls.allowance(token, owner, spender)),
      height,
    );
    const balances = await readWords(
      chain,
      coins.map(({ address }) => viewCalls.balance(address, owner)),
      height,
    );
    const { items } = await index.get(`approvals/${owner}/`);
    const actual = new Map<string, string>(
      items.flatMap((item: ResponseData) =>
        item.spenders.map((spender: ResponseData) => [`${item.token_address} for ${spender.spender_address}`, spender.allowance]),
      ),
    );
    const expected = pairs.flatMap(({ token, spender }, position): [string, string][] => {
      const amount = allowances[position] ?? 0n;
      return amount === 0n ? [] : [[`${token} for ${spender}`, unlimitedOr(amount)]];
    });
    expect(actual, `allowances of ${owner} at ${height}`).toEqual(new Map(expected));
    for (const item of items) {
      const balance = balances[coins.findIndex(({ address }) => address === item.token_address)] ?? 0n;
      expect(item.balance).toBe(balance.toString());
      const sum = pairs.reduce(
        (total, { token }, position) => total + (token === item.token_address ? (allowances[position] ?? 0n) : 0n),
        0n,
      );
      expect(item.value_at_risk).toBe((sum < balance ? sum : balance).toString());
    }
    compared += expected.length + (await compareCollections(owner, height));
  }
  return compared;
};

const compareCollections = async (owner: Address, height: number): Promise<number> => {
  const approvedSpenders = await readWords(
    chain,
    ids.map((id) => viewCalls.approved(cards, id)),
    height,
  );
  const owners = await readWords(
    chain,
    ids.map((id) => ({ to: cards, data: `0x6352211e${id.toString(16).padStart(64, "0")}` as Hex })),
    height,
  );
  const operators = [cards, editions].flatMap((token) => spenders.map((spender) => ({ token, spender })));
  const forAll = await readWords(
    chain,
    operators.map(({ token, spender }) => viewCalls.forAll(token, owner, spender)),
    height,
  );
  const isOwned = (position: number) => owners[position] === BigInt(owner);
  const expected = [
    ...ids.flatMap((id, position) =>
      isOwned(position) && approvedSpenders[position] !== 0n ? [`${cards} ${id} for ${toAddress(approvedSpenders[position] ?? 0n)}`] : [],
    ),
    ...operators.flatMap(({ token, spender }, position) => (forAll[position] === 1n ? [`${token} ALL for ${spender}`] : [])),
  ];
  const { items } = await index.get(`nft/approvals/${owner}/`);
  const actual = items.flatMap((item: ResponseData) =>
    item.spenders.map((spender: ResponseData) => `${item.contract_address} ${spender.token_ids_approved} for ${spender.spender_address}`),
  );
  expect(actual.sort(), `collections of ${owner} at ${height}`).toEqual(expected.sort());
  for (const item of items) {
    if (item.contract_address !== cards) continue;
    expect(item.token_balances).toEqual(
      ids.flatMap((id, position) => (isOwned(position) ? [{ token_id: id.toString(), token_balance: "1" }] : [])),
    );
  }
  return expected.length;
};
const toAddress = (word: bigint): Address => `0x${word.toString(16).padStart(40, "0")}`;

describe("served approvals", () => {
  it("equal the node's at many heights, regardless of who transferred the tokens", async () => {
    let compared = 0;
    for (let step = 0; step < 12; step += 1) {
      for (let block = random.between(1, 4); block > 0; block -= 1) {
        await chain.send(...Array.from({ length: random.between(2, 9) }, () => randomTransaction(random, approved)));
        await chain.mine();
      }
      await index.sync(1);
      compared += await compareWithNode();
    }
    expect(compared).toBeGreaterThan(100);
    expect(index.warnings).toEqual([]);
    // Some allowances were used without an Approval, so the comparison covers that case.
    const [row] = await testDatabase.database.query<{ read: number }>(
      "SELECT count(*)::int4 AS read FROM (SELECT since_block, approved_block FROM allowances UNION ALL SELECT from_block, approved_block FROM allowance_periods) a WHERE since_block > approved_block",
    );
    expect(row?.read).toBeGreaterThan(3);
  });

  it("include a permit that another account submitted, and its use in the same block", async () => {
    const [owner, other] = [people[0] as Address, people[1] as Address];
    const { address: token, artifact } = coins[1] as (typeof coins)[number];
    expect(signer.address.toLowerCase()).toBe(owner);
    const [nonce] = await readWords(chain, [{ to: token, data: `0x7ecebe00${owner.slice(2).padStart(64, "0")}` }], await chain.head());
    const deadline = 2n ** 64n;
    const signature = await signer.signTypedData({
      domain: { name: "Coin", version: "1", chainId: 31337, verifyingContract: token },
      types: {
        Permit: ["address owner", "address spender", "uint256 value", "uint256 nonce", "uint256 deadline"].map((field) => {
          const [type = "", name = ""] = field.split(" ");
          return { type, name };
        }),
      },
      primaryType: "Permit",
      message: { owner, spender: other, value: 40n, nonce: nonce ?? 0n, deadline },
    });
    const [r, s, v] = [signature.slice(0, 66), `0x${signature.slice(66, 130)}`, Number.parseInt(signature.slice(130), 16)];
    await chain.send(
      encodeCall(artifact, token, "mint", [owner, 100n]),
      { from: other, ...encodeCall(artifact, token, "permit", [owner, other, 40n, deadline, v, r, s]) },
      { from: other, ...encodeCall(artifact, token, "transferFrom", [owner, other, 15n]) },
    );
    await chain.mine();
    await index.sync(1);
    const { items } = await index.get(`approvals/${owner}/`);
    const spender = items
      .find((item: ResponseData) => item.token_address === token)
      .spenders.find((entry: ResponseData) => entry.spender_address === other);
    // 40 permitted, 15 used.
    expect(spender.allowance).toBe("25");
    await compareWithNode();
  });

  it("are the same after the projection is rebuilt", async () => {
    const rebuiltDatabase = await createTestDatabase();
    const rebuilt = await startAllowanceIndex(chain, rebuiltDatabase.database, {
      chain: { wrappedNative: [coins[3]?.address as Address] },
    });
    await rebuilt.sync(1);
    for (const owner of people) {
      for (const path of [`approvals/${owner}/`, `nft/approvals/${owner}/`]) {
        expect((await rebuilt.get(path)).items).toEqual((await index.get(path)).items);
      }
    }
    await rebuilt.end();
    await rebuiltDatabase.drop();
  });

  it("pass the audit at several heights, and the audit reports altered rows", async () => {
    const head = await chain.head();
    const audit = (height: number) => auditApprovals(testDatabase.database, index.source, 31337, height, 100);
    for (const height of [head, head - 1, head - 5, head - 20]) {
      const rows = await audit(height);
      expect(rows.map(({ subject }) => subject)).toEqual(["ERC-20 allowances", "ERC-721 approvals", "approvals for all"]);
      for (const { subject, differences, comparedCount } of rows) {
        expect(differences, `${subject} at ${height}`).toEqual([]);
        if (height === head) expect(comparedCount, subject).toBeGreaterThan(0);
      }
    }
    await testDatabase.database.query("UPDATE allowances SET amount = amount + 1");
    await testDatabase.database.query("UPDATE nft_approvals SET spender = owner");
    await testDatabase.database.query("UPDATE nft_operators SET approved = NOT approved");
    for (const { subject, differences, comparedCount, unknownCount } of await audit(head))
      expect(differences.length, subject).toBe(comparedCount - unknownCount);
  });
});
