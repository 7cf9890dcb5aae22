import { toEventSelector } from "viem";
import { describe, expect, it, test } from "vitest";
import { expectNear } from "../support/expect-near.ts";
import { callForEach, idsOf, movesOf, ownersOf, unitsOf } from "../support/story-collections.ts";
import { toWholeTokens } from "../support/story-exchanges.ts";
import { addressOf, balanceOf, logsOf, type NodeLog, storyValue, timeOf } from "../support/story-node.ts";
import { chain, chainById, dataOf, useNpmClient } from "./npm-client.ts";

const { SecurityService: service } = await useNpmClient();

/** EIP-20 and EIP-721 have the same signature, but EIP-721 also indexes the third argument. */
const approval: string = toEventSelector("Approval(address,address,uint256)");
const approvalForAll: string = toEventSelector("ApprovalForAll(address,address,bool)");
const approvals = await logsOf({ topics: [approval] });
const operatorApprovals = await logsOf({ topics: [approvalForAll] });
const erc20Approvals = approvals.filter(({ topics }) => topics.length === 3);
const nftApprovals = approvals.filter(({ topics }) => topics.length === 4);

const ownerOf = ({ topics }: NodeLog): string => addressOf(topics[1]);
const spenderOf = ({ topics }: NodeLog): string => addressOf(topics[2]);

/** The owners with the most approvals, and the story's named accounts. */
const mostFrequentOwners = (logs: readonly NodeLog[], storyNames: readonly string[]): string[] => {
  const counts = new Map<string, number>();
  for (const log of logs) counts.set(ownerOf(log), (counts.get(ownerOf(log)) ?? 0) + 1);
  const byCount = [...counts].sort(([, left], [, right]) => right - left).map(([owner]) => owner);
  return [...new Set([...storyNames.map(storyValue), ...byCount.slice(0, 12)])];
};

/** The last log of each key, in log order. */
const lastOfEach = (logs: readonly NodeLog[], keyOf: (log: NodeLog) => string): NodeLog[] => [
  ...new Map(logs.map((log) => [keyOf(log), log])).values(),
];
const positionOf = (log: NodeLog) => [Number(log.blockNumber), Number(log.logIndex), log.transactionHash];

/** Whether an allowance is unlimited, including in a smaller integer type in which some tokens store allowances; see the endpoint's notes. */
const isUnlimited = (amount: bigint): boolean => amount >= 2n ** 255n || [96n, 128n, 160n].some((bits) => amount === 2n ** bits - 1n);
const minOf = (left: bigint, right: bigint): bigint => (left < right ? left : right);

/** A current allowance with the log that set it. */
interface CurrentAllowance {
  readonly log: NodeLog;
  readonly allowance: bigint;
}
type Item = Awaited<ReturnType<typeof service.getApprovals>>["data"]["items"][number];

const quoteChecksOf = ({ quote_rate: rate, contract_decimals: decimals, token_address: token }: Item) => {
  const quotedValue = (amount: bigint): number | null => ((rate as number | null) === null ? null : toWholeTokens(amount, decimals) * rate);
  return {
    quotedValue,
    expectQuote: (quote: number | null, amount: bigint): void => {
      const expected = quotedValue(amount);
      if (expected === null) expect(quote).toBeNull();
      else expectNear(quote, expected, token);
    },
  };
};

const expectSpender = async (
  item: Item,
  spender: Item["spenders"][number],
  { log, allowance }: CurrentAllowance,
  balance: bigint,
): Promise<void> => {
  const { quotedValue, expectQuote } = quoteChecksOf(item);
  const atRisk = minOf(allowance, balance);
  expect([spender.allowance, spender.value_at_risk], `${item.token_address} ${spender.spender_address}`).toEqual([
    isUnlimited(allowance) ? "UNLIMITED" : String(allowance),
    String(atRisk),
  ]);
  expect([spender.block_height, spender.log_offset, spender.tx_hash]).toEqual(positionOf(log));
  expect(spender.block_signed_at.getTime() / 1000).toBe(await timeOf(spender.block_height));
  if (isUnlimited(allowance)) expect([spender.allowance_quote, spender.pretty_allowance_quote]).toEqual([null, "UNLIMITED"]);
  else expectQuote(spender.allowance_quote, allowance);
  expectQuote(spender.value_at_risk_quote, atRisk);
  const value = quotedValue(atRisk);
  const isRisky = isUnlimited(allowance) || (value === null ? atRisk > 0n : value >= 1);
  expect(spender.risk_factor).toBe(isRisky ? "CONSIDER REVOKING" : "LOW RISK");
};

const expectToken = async (item: Item, current: readonly CurrentAllowance[], owner: string): Promise<void> => {
  const balance = await balanceOf(item.token_address, owner);
  const sum = current.reduce((total, { allowance }) => total + allowance, 0n);
  expect([item.balance, item.value_at_risk], item.token_address).toEqual([balance, String(minOf(sum, balance))]);
  const { expectQuote } = quoteChecksOf(item);
  expectQuote(item.balance_quote, balance);
  expectQuote(item.value_at_risk_quote, minOf(sum, balance));
  const bySpender = new Map(current.map((entry) => [spenderOf(entry.log), entry]));
  expect(item.spenders.map(({ spender_address: spender }) => spender).sort()).toEqual([...bySpender.keys()].sort());
  for (const spender of item.spenders) {
    const found = bySpender.get(spender.spender_address);
    if (found !== undefined) await expectSpender(item, spender, found, balance);
  }
  const risks = item.spenders.map(({ value_at_risk: amount }) => BigInt(amount));
  expect(risks).toEqual(risks.toSorted((left, right) => (left > right ? -1 : left < right ? 1 : 0)));
};

describe("the npm client's SecurityService for ERC-20 allowances", () => {
  test.each(mostFrequentOwners(erc20Approvals, ["trader", "collector", "gardener"]))(
    "getApprovals returns the same allowances for %s as allowance()",
    async (owner) => {
      const { items: all, address, quote_currency: currency } = await dataOf(service.getApprovals(chain, owner));
      expect([address, currency]).toEqual([owner, "USD"]);
      // A vault's pools report an allowance for the vault without an event.
      const items = all.filter(({ token_address: token }) => ![storyValue("vaultPool"), storyValue("composablePool")].includes(token));
      const lastApprovals = lastOfEach(
        erc20Approvals.filter((log) => ownerOf(log) === owner),
        (log) => log.address + spenderOf(log),
      );
      const words = await Promise.all(lastApprovals.map((log) => callForEach(log.address, "allowance", [[owner, spenderOf(log)]])));
      const current = lastApprovals
        .map((log, index) => ({ log, allowance: BigInt(words[index]?.[0] ?? 0) }))
        .filter(({ allowance }) => allowance > 0n);
      const tokens = [...new Set(current.map(({ log }) => log.address))];
      expect(items.map(({ token_address: token }) => token).sort()).toEqual([...tokens].sort());
      for (const item of items)
        await expectToken(
          item,
          current.filter(({ log }) => log.address === item.token_address),
          owner,
        );
      const quotes = items.map(({ value_at_risk_quote: quote }) => (quote as number | null) ?? -1);
      expect(quotes).toEqual(quotes.toSorted((left, right) => right - left));
    },
  );

  it("returns unlimited, partly used and permit allowances, and omits used-up and revoked ones", async () => {
    const returned = await Promise.all(
      ["trader", "gardener", "collector"].map((name) => dataOf(service.getApprovals(chainById, storyValue(name)))),
    );
    const permitSpenders = returned.map(
      ({ items }) => items.find(({ token_address: token }) => token === storyValue("permitToken"))?.spenders ?? [],
    );
    const unit = 10n ** 18n;
    // 500 and 250 of the approved 9,000 were spent.
    expect(permitSpenders[0]?.map(({ allowance }) => allowance)).toContain(String(8_250n * unit));
    expect(permitSpenders[1]?.map(({ allowance }) => allowance)).toEqual(expect.arrayContaining(["UNLIMITED", String(700n * unit)]));
    expect(permitSpenders[2]).toEqual([]);
    expect((await dataOf(service.getApprovals(chain, storyValue("newcomer")))).items).toEqual([]);
  });
});

/** An owner's current approvals of single tokens and entire collections according to the contracts, newest first. */
const currentApprovalsOf = async (owner: string): Promise<{ readonly log: NodeLog; readonly id: string }[]> => {
  const current: { readonly log: NodeLog; readonly id: string }[] = [];
  for (const log of lastOfEach(nftApprovals, ({ address, topics }) => address + topics[3]).filter((last) => ownerOf(last) === owner)) {
    const id = BigInt(log.topics[3] ?? 0);
    const [[approved], [holder]] = await Promise.all([callForEach(log.address, "getApproved", [[id]]), ownersOf(log.address, [id])]);
    if (holder !== owner || BigInt(approved ?? 0) === 0n) continue;
    expect(addressOf(approved ?? undefined)).toBe(spenderOf(log));
    current.push({ log, id: String(id) });
  }
  const ownApprovals = operatorApprovals.filter((log) => ownerOf(log) === owner);
  for (const log of lastOfEach(ownApprovals, (approvalLog) => approvalLog.address + spenderOf(approvalLog))) {
    const [word] = await callForEach(log.address, "isApprovedForAll", [[owner, spenderOf(log)]]);
    if (BigInt(word ?? 0) === 1n) current.push({ log, id: "ALL" });
  }
  return current.sort(
    ({ log: left }, { log: right }) =>
      Number(right.blockNumber) - Number(left.blockNumber) || Number(right.logIndex) - Number(left.logIndex),
  );
};

describe("the npm client's SecurityService for NFT approvals", () => {
  test.each(mostFrequentOwners([...nftApprovals, ...operatorApprovals], ["trader", "collector", "gardener", "washTrader"]))(
    "getNftApprovals returns the NFT approvals by %s that getApproved() and isApprovedForAll() confirm",
    async (owner) => {
      const { items, address } = await dataOf(service.getNftApprovals(chain, owner));
      expect(address).toBe(owner);
      const newestFirst = await currentApprovalsOf(owner);
      const collections = [...new Set(newestFirst.map(({ log }) => log.address))];
      expect(items.map(({ contract_address: collection }) => collection)).toEqual(collections);
      for (const { contract_address: collection, spenders, token_balances: balances } of items) {
        expect(
          spenders.map((spender) => [
            spender.block_height,
            spender.log_offset,
            spender.tx_hash,
            spender.spender_address,
            spender.token_ids_approved,
            spender.allowance,
          ]),
        ).toEqual(
          newestFirst
            .filter(({ log }) => log.address === collection)
            .map(({ log, id }) => [...positionOf(log), spenderOf(log), id, id === "ALL" ? "UNLIMITED" : "1"]),
        );
        const receivedIds = idsOf((await movesOf(collection)).filter(({ to }) => to === owner));
        const owners = await ownersOf(collection, receivedIds);
        const isUnique = owners.some((holder) => BigInt(holder) !== 0n);
        const units = isUnique
          ? owners.map((holder) => (holder === owner ? 1n : 0n))
          : await unitsOf(
              collection,
              receivedIds.map((id) => [owner, id] as const),
            );
        expect(balances.map(({ token_id: id, token_balance: held }) => [id, held])).toEqual(
          receivedIds.map((id, index) => [id, units[index] ?? 0n] as const).filter(([, held]) => held > 0n),
        );
      }
    },
  );

  it("returns approvals of single tokens and of collections, and omits used and revoked ones", async () => {
    const { items } = await dataOf(service.getNftApprovals(chain, storyValue("collector")));
    const garden = items.find(({ contract_address: collection }) => collection === storyValue("gardenCollection"));
    const returned = garden?.spenders.map(({ token_ids_approved: ids }) => ids) ?? [];
    // The first plant's approval is current, the second's was revoked and the third's was used; see the garden chapter.
    expect(returned).toContain(storyValue("gardenTokenId"));
    expect(returned).toContain("ALL");
    expect(returned).not.toContain("4");
    expect(returned).not.toContain("5");
  });
});
