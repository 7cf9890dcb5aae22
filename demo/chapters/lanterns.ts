import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeTransferFrom } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { lanternCount, lanternFolderCid } from "./lantern-documents.ts";

const lanternsPerCall = 40;

/** The collection and the owners of its tokens; ids start at 1. */
interface Lanterns {
  readonly lanterns: Address;
  readonly owners: readonly Address[];
}

/** Deploys a collection whose documents are fetched through an IPFS gateway, which the demo runs itself. */
export const setUpLanterns = async (context: StoryContext, accounts: Accounts): Promise<Lanterns & { dailyCalls: DailyCalls }> => {
  const { artifacts } = context;
  const { deployer, collector, trader, dealers } = accounts;
  const address = await context.deploy(deployer, artifacts.basedCollection, ["Harbor Lanterns", "LANTERN", `ipfs://${lanternFolderCid}/`]);
  const random = context.createRandom("lanterns");
  const count = Math.max(12, context.scaled(lanternCount));
  // The collector keeps the first two lanterns.
  const owners = Array.from({ length: count }, (_, index) => (index < 2 ? collector : index < 4 ? trader : random.pick(dealers)));
  const calls: Call[] = [];
  for (let start = 0; start < count; start += lanternsPerCall) {
    const batch = owners.slice(start, start + lanternsPerCall);
    const data = encode(artifacts.basedCollection.abi, "mint", [batch]);
    calls.push({ from: deployer, to: address, data, gas: 100_000 + batch.length * 60_000 });
  }
  await context.mine(calls);
  const dailyCalls: DailyCalls = (day) => {
    if (day % 2 === 1) return [];
    const index = random.between(2, count - 1);
    const owner = owners[index] as Address;
    const to = random.pick(accounts.activeUsers(day));
    owners[index] = to;
    return [{ from: owner, to: address, data: encodeTransferFrom(owner, to, BigInt(index + 1)), gas: 150_000 }];
  };
  return { lanterns: address, owners, dailyCalls };
};
