import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprovalForAll } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";

const badgeUri = `data:application/json,${encodeURIComponent('{"name":"Badge ')}{id}${encodeURIComponent('","attributes":[{"trait_type":"Kind","value":"Badge"}]}')}`;
const editionIds = Array.from({ length: 12 }, (_, index) => BigInt(index + 1));

/** Deploys the ERC-1155 collections. Each day has mints, single and batch transfers, approvals and burns. */
export const setUpEditions = async (
  context: StoryContext,
  accounts: Accounts,
): Promise<{ editions: Address; badges: Address; dailyCalls: DailyCalls }> => {
  const { artifacts } = context;
  const { deployer, collector, trader } = accounts;
  const { abi } = artifacts.editions;
  const editions = await context.deploy(deployer, artifacts.editions);
  const badges = await context.deploy(deployer, artifacts.presetMultiToken, [badgeUri]);
  const random = context.createRandom("editions");
  const balances = new Map<string, { owner: Address; id: bigint; amount: bigint }>();
  const change = (owner: Address, id: bigint, amount: bigint): void => {
    const key = `${owner} ${id}`;
    const total = (balances.get(key)?.amount ?? 0n) + amount;
    if (total === 0n) balances.delete(key);
    else balances.set(key, { owner, id, amount: total });
  };
  const mint = (to: Address, id: bigint, amount: bigint): Call => {
    change(to, id, amount);
    return { from: deployer, to: editions, data: encode(abi, "mint", [to, id, amount]), gas: 150_000 };
  };
  const mintBatch = (to: Address, ids: readonly bigint[], amount: bigint): Call => {
    for (const id of ids) change(to, id, amount);
    return { from: deployer, to: editions, data: encode(abi, "mintBatch", [to, ids, ids.map(() => amount)]) };
  };
  const mintBadge = (to: Address, id: number): Call => ({
    from: deployer,
    to: badges,
    data: encode(artifacts.presetMultiToken.abi, "mint", [to, BigInt(id), 1n, "0x"]),
    gas: 150_000,
  });
  await context.mine([
    mintBatch(collector, editionIds.slice(0, 6), 5n),
    mintBatch(trader, editionIds.slice(4, 8), 9n),
    ...accounts.dealers.slice(0, 12).map((dealer, index) => mint(dealer, editionIds[index % 12] ?? 1n, 20n)),
    mintBadge(collector, 1),
    mintBadge(trader, 2),
  ]);

  const send = (to: Address): Call => {
    const { owner, id, amount } = random.pick([...balances.values()].filter((held) => held.owner !== collector));
    const part = random.oneIn(25) ? 0n : 1n + BigInt(random.below(Number(amount)));
    if (random.oneIn(4)) {
      const second = [...balances.values()].find((held) => held.owner === owner && held.id !== id);
      const ids = second === undefined ? [id] : [id, second.id];
      const parts = second === undefined ? [part] : [part, 1n];
      ids.forEach((sent, index) => {
        change(owner, sent, -(parts[index] ?? 0n));
        change(to, sent, parts[index] ?? 0n);
      });
      return { from: owner, to: editions, data: encode(abi, "safeBatchTransferFrom", [owner, to, ids, parts, "0x"]) };
    }
    change(owner, id, -part);
    change(to, id, part);
    return { from: owner, to: editions, data: encode(abi, "safeTransferFrom", [owner, to, id, part, "0x"]), gas: 150_000 };
  };
  const randomAction = (day: number): Call => {
    const to = random.pick(accounts.activeUsers(day));
    const kind = random.below(12);
    if (kind < 3) return mint(to, random.pick(editionIds), BigInt(random.between(1, 10)));
    if (kind === 3) return mintBatch(to, editionIds.slice(random.below(6), 6 + random.below(6)), 2n);
    if (kind === 4) return mintBadge(to, random.between(1, 5));
    if (kind === 5) return { from: to, to: editions, data: encodeApprovalForAll(random.pick(accounts.dealers), true), gas: 90_000 };
    if (kind === 6) {
      const { owner, id, amount } = random.pick([...balances.values()].filter((held) => held.owner !== collector));
      change(owner, id, -1n);
      return { from: owner, to: editions, data: encode(abi, "burn", [id, amount > 0n ? 1n : 0n]), gas: 90_000 };
    }
    return send(to);
  };
  return { editions, badges, dailyCalls: (day) => Array.from({ length: context.scaled(13) }, () => randomAction(day)) };
};
