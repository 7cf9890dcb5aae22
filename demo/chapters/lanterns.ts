import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeTransferFrom } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { lanternFolder, lanterns } from "./lantern-documents.ts";
import type { People } from "./people.ts";

const lanternsPerCall = 40;

/** The collection and the owners of its tokens; ids start at 1. */
interface Lanterns {
  readonly lanterns: Address;
  readonly owners: readonly Address[];
}

/** A collection whose documents are fetched through a gateway, which the demo runs itself. */
export const openLanterns = async (stage: ChapterContext, people: People): Promise<Lanterns & { scene: Scene }> => {
  const { artifacts } = stage;
  const { deployer, collector, trader, dealers } = people;
  const address = await stage.deploy(deployer, artifacts.basedCollection, ["Harbor Lanterns", "LANTERN", `ipfs://${lanternFolder}/`]);
  const random = stage.random("lanterns");
  const count = Math.max(12, stage.scaled(lanterns));
  // The collector keeps the first.
  const owners = Array.from({ length: count }, (_, index) => (index < 2 ? collector : index < 4 ? trader : random.pick(dealers)));
  const calls: Call[] = [];
  for (let start = 0; start < count; start += lanternsPerCall) {
    const batch = owners.slice(start, start + lanternsPerCall);
    const data = encode(artifacts.basedCollection.abi, "mint", [batch]);
    calls.push({ from: deployer, to: address, data, gas: 100_000 + batch.length * 60_000 });
  }
  await stage.play(calls);
  const scene: Scene = (day) => {
    if (day % 2 === 1) return [];
    const index = random.between(2, count - 1);
    const owner = owners[index] as Address;
    const to = random.pick(people.active(day));
    owners[index] = to;
    return [{ from: owner, to: address, data: encodeTransferFrom(owner, to, BigInt(index + 1)), gas: 150_000 }];
  };
  return { lanterns: address, owners, scene };
};
