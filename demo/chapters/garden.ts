import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprovalForAll, encodeApprove, encodeTransferFrom } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { createPlantRegistry, type Garden, type PlantRegistry } from "./garden-types.ts";

const plantCount = 2_000;
const plantsPerCall = 50;
/** The number of planting calls before the first day. */
const setupCallCount = 4;
/** From this day on, the remaining plants are planted: the node processes all contract storage for each block, so planting late is faster. */
const firstPlantingDay = 20;

/** The owners of the first plants by id; the other plants have random owners. */
const firstOwners = ({ washTraders, collector, trader, gardener }: Accounts): readonly Address[] => [
  ...[washTraders[0], washTraders[0], collector, collector, collector, collector, trader, trader, trader, trader],
  ...Array.from({ length: gardenerPlantCount }, () => gardener),
];
const gardenerPlantCount = 20;
const keptId = 3n;
const tradedId = 11n;

/** The first approvals by the collector and the trader: granted, used and revoked. */
const firstApprovals = (garden: Garden, { collector, trader, dealers }: Accounts, registry: PlantRegistry): readonly Call[] => {
  const [first, second, third] = dealers as readonly [Address, Address, Address];
  const to = garden.address;
  const approve = (from: Address, spender: Address, id: bigint): Call => ({ from, to, data: encodeApprove(spender, id), gas: 90_000 });
  const approveAll = (from: Address, operator: Address, approved: boolean): Call => ({
    from,
    to,
    data: encodeApprovalForAll(operator, approved),
    gas: 90_000,
  });
  const transferFrom = (spender: Address, from: Address, id: bigint): Call => {
    registry.move(id, spender);
    return { from: spender, to, data: encodeTransferFrom(from, spender, id), gas: 150_000 };
  };
  return [
    approve(collector, first, keptId),
    approve(collector, second, 4n),
    approve(collector, "0x0000000000000000000000000000000000000000", 4n),
    approve(collector, third, 5n),
    transferFrom(third, collector, 5n),
    approveAll(collector, first, true),
    approveAll(collector, second, true),
    approveAll(collector, second, false),
    approve(trader, second, 8n),
    approve(trader, first, 9n),
    transferFrom(first, trader, 9n),
    approveAll(trader, third, true),
    approveAll(trader, first, true),
    transferFrom(first, trader, 10n),
    approveAll(trader, first, false),
  ];
};

/** Deploys a collection of two thousand plants, minted over many days. Each day has transfers, approvals and occasional burns. */
export const setUpGarden = async (context: StoryContext, accounts: Accounts): Promise<{ garden: Garden; dailyCalls: DailyCalls }> => {
  const { artifacts } = context;
  const { abi } = artifacts.gardenCollection;
  const address = await context.deploy(accounts.deployer, artifacts.gardenCollection);
  const random = context.createRandom("garden");
  const registry = createPlantRegistry([accounts.collector, accounts.gardener, ...accounts.washTraders]);
  let planted = 0n;
  const plant = (owners: readonly Address[]): Call => {
    for (const owner of owners) {
      planted += 1n;
      registry.add(planted, owner);
    }
    return { from: accounts.deployer, to: address, data: encode(abi, "plant", [owners]), gas: 100_000 + owners.length * 60_000 };
  };
  const garden: Garden = { address, registry, keptId, tradedId, plant };
  registry.reserve(keptId, 4n, 8n, tradedId);

  const sizes = Array.from({ length: Math.ceil(context.scaled(plantCount) / plantsPerCall) }, (_, index) =>
    Math.min(plantsPerCall, context.scaled(plantCount) - index * plantsPerCall),
  );
  const chooseOwner = (day: number): Address => {
    const choice = random.below(40);
    if (choice < 2) return accounts.gardener;
    return choice === 2 ? accounts.trader : choice === 3 ? accounts.collector : random.pick(accounts.activeUsers(day));
  };
  const plantBatch = (day: number, firstOwnersOfBatch: readonly Address[] = []): readonly Call[] => {
    const size = sizes.shift();
    return size === undefined ? [] : [plant(Array.from({ length: size }, (_, index) => firstOwnersOfBatch[index] ?? chooseOwner(day)))];
  };
  await context.mine([
    ...plantBatch(0, firstOwners(accounts)),
    ...Array.from({ length: setupCallCount - 1 }, () => plantBatch(0)).flat(),
    ...firstApprovals(garden, accounts, registry),
  ]);

  const randomAction = (day: number): readonly Call[] => {
    const id = registry.pick(random);
    const owner = registry.ownerOf(id);
    const receiver = random.pick(accounts.activeUsers(day));
    const kind = random.below(12);
    if (kind === 0) return [{ from: owner, to: address, data: encodeApprove(random.pick(accounts.dealers), id), gas: 90_000 }];
    if (kind === 1) {
      const operator = random.pick(accounts.dealers.filter((dealer) => dealer !== owner));
      const granted = { from: owner, to: address, data: encodeApprovalForAll(operator, true), gas: 90_000 };
      return random.oneIn(2) ? [granted] : [granted, { ...granted, data: encodeApprovalForAll(operator, false) }];
    }
    if (kind === 2) {
      const spender = random.pick(accounts.dealers.filter((dealer) => dealer !== owner));
      registry.move(id, receiver);
      return [
        { from: owner, to: address, data: encodeApprove(spender, id), gas: 90_000 },
        { from: spender, to: address, data: encodeTransferFrom(owner, receiver, id), gas: 150_000 },
      ];
    }
    if (kind === 3 && random.oneIn(4)) {
      registry.remove(id);
      return [{ from: owner, to: address, data: encode(abi, "uproot", [id]), gas: 120_000 }];
    }
    const to = random.oneIn(20) ? accounts.collector : receiver;
    registry.move(id, to);
    return [{ from: owner, to: address, data: encodeTransferFrom(owner, to, id), gas: 150_000 }];
  };
  return {
    garden,
    dailyCalls: (day) => [
      ...(day < firstPlantingDay ? [] : plantBatch(day)),
      ...Array.from({ length: context.scaled(4) }, () => randomAction(day)).flat(),
    ],
  };
};
