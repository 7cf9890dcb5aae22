import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprovalForAll } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import type { People } from "./people.ts";

const badgeUri = `data:application/json,${encodeURIComponent('{"name":"Badge ')}{id}${encodeURIComponent('","attributes":[{"trait_type":"Kind","value":"Badge"}]}')}`;
const editionIds = Array.from({ length: 12 }, (_, index) => BigInt(index + 1));

/** The ERC-1155 collections, and on each day mints, single and batch transfers, approvals and burns. */
export const openEditions = async (
  stage: ChapterContext,
  people: People,
): Promise<{ editions: Address; badges: Address; scene: Scene }> => {
  const { artifacts } = stage;
  const { deployer, collector, trader } = people;
  const { abi } = artifacts.editions;
  const editions = await stage.deploy(deployer, artifacts.editions);
  const badges = await stage.deploy(deployer, artifacts.presetMultiToken, [badgeUri]);
  const random = stage.random("editions");
  const book = new Map<string, { owner: Address; id: bigint; amount: bigint }>();
  const change = (owner: Address, id: bigint, amount: bigint): void => {
    const key = `${owner} ${id}`;
    const total = (book.get(key)?.amount ?? 0n) + amount;
    if (total === 0n) book.delete(key);
    else book.set(key, { owner, id, amount: total });
  };
  const mint = (to: Address, id: bigint, amount: bigint): Call => {
    change(to, id, amount);
    return { from: deployer, to: editions, data: encode(abi, "mint", [to, id, amount]), gas: 150_000 };
  };
  const mintBatch = (to: Address, ids: readonly bigint[], amount: bigint): Call => {
    for (const id of ids) change(to, id, amount);
    return { from: deployer, to: editions, data: encode(abi, "mintBatch", [to, ids, ids.map(() => amount)]) };
  };
  const badge = (to: Address, id: number): Call => ({
    from: deployer,
    to: badges,
    data: encode(artifacts.presetMultiToken.abi, "mint", [to, BigInt(id), 1n, "0x"]),
    gas: 150_000,
  });
  await stage.play([
    mintBatch(collector, editionIds.slice(0, 6), 5n),
    mintBatch(trader, editionIds.slice(4, 8), 9n),
    ...people.dealers.slice(0, 12).map((dealer, index) => mint(dealer, editionIds[index % 12] ?? 1n, 20n)),
    badge(collector, 1),
    badge(trader, 2),
  ]);

  const send = (to: Address): Call => {
    const { owner, id, amount } = random.pick([...book.values()].filter((held) => held.owner !== collector));
    const part = random.chance(25) ? 0n : 1n + BigInt(random.below(Number(amount)));
    if (random.chance(4)) {
      const second = [...book.values()].find((held) => held.owner === owner && held.id !== id);
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
  const act = (day: number): Call => {
    const to = random.pick(people.active(day));
    const kind = random.below(12);
    if (kind < 3) return mint(to, random.pick(editionIds), BigInt(random.between(1, 10)));
    if (kind === 3) return mintBatch(to, editionIds.slice(random.below(6), 6 + random.below(6)), 2n);
    if (kind === 4) return badge(to, random.between(1, 5));
    if (kind === 5) return { from: to, to: editions, data: encodeApprovalForAll(random.pick(people.dealers), true), gas: 90_000 };
    if (kind === 6) {
      const { owner, id, amount } = random.pick([...book.values()].filter((held) => held.owner !== collector));
      change(owner, id, -1n);
      return { from: owner, to: editions, data: encode(abi, "burn", [id, amount > 0n ? 1n : 0n]), gas: 90_000 };
    }
    return send(to);
  };
  return { editions, badges, scene: (day) => Array.from({ length: stage.scaled(13) }, () => act(day)) };
};
