import type { Address, Hex } from "../../runtime/lib/hex.ts";
import { createMarketDesk } from "../chapters/market-types.ts";
import { encode } from "../story/encode.ts";
import { signerKey } from "../story/genesis.ts";
import { readContract } from "../story/read-contract.ts";
import { encodeFulfillOrder, signOrder, unique } from "../story/seaport-orders.ts";
import type { LiveAction, LiveContext } from "./live-types.ts";

const chainId = 31_337;
const thousandth = 10n ** 15n;
/** The number of newest plants to search for one that is for sale. */
const searched = 30n;
/** The balance that a buyer keeps. */
const kept = 2_000n * thousandth;

/** One of the newest plants that the gardener owns; null if there is none. */
const findForSale = async ({ client, cast, artifacts }: LiveContext, planted: bigint): Promise<bigint | null> => {
  const { abi } = artifacts.gardenCollection;
  for (let id = planted; id > 0n && id > planted - searched; id--) {
    // ownerOf() reverts for a burnt plant.
    const owner = await readContract<Address>(client, cast.gardenCollection as Address, abi, "ownerOf", [id]).catch(() => null);
    if (owner?.toLowerCase() === cast.gardener) return id;
  }
  return null;
};

/** The purchase of a plant that the gardener offers, or a new plant if none is offered or the buyer cannot afford it. */
export const chooseMarketAction = async (life: LiveContext, buyer: Address): Promise<LiveAction> => {
  const { client, cast, artifacts, random } = life;
  const [garden, gardener, seaport] = [cast.gardenCollection as Address, cast.gardener as Address, cast.seaport as Address];
  const { abi } = artifacts.gardenCollection;
  const planted = await readContract<bigint>(client, garden, abi, "planted");
  const id = random.chance(3) ? null : await findForSale(life, planted);
  const price = BigInt(random.between(120, 600)) * thousandth;
  const balance = BigInt(await client.request<Hex>("eth_getBalance", [buyer, "latest"]));
  if (id === null || buyer === gardener || balance < price + kept)
    return { from: cast.deployer as Address, to: garden, data: encode(abi, "plant", [[random.chance(2) ? gardener : buyer]]) };
  const terms = { seaport, feeCollector: cast.marketFees as Address, artist: gardener, weth: cast.wrappedNative as Address };
  const order = createMarketDesk(terms, BigInt(life.now())).list(gardener, [unique(garden, id)], "native", price);
  const signature = await signOrder(order, { chainId, address: seaport }, signerKey);
  return { from: buyer, to: seaport, value: price, data: encodeFulfillOrder({ order, signature }) };
};
