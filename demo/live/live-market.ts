import type { Address, Hex } from "../../runtime/lib/hex.ts";
import { createOrderBuilder } from "../chapters/marketplace-orders.ts";
import { encode } from "../story/encode.ts";
import { gardenerPrivateKey } from "../story/genesis.ts";
import { readContract } from "../story/read-contract.ts";
import { encodeFulfillOrder, erc721Item, signOrder } from "../story/seaport-orders.ts";
import type { LiveAction, LiveContext } from "./live-types.ts";

const chainId = 31_337;
const finney = 10n ** 15n;
/** The number of newest plants that are searched for one that is for sale. */
const searchedPlants = 30n;
/** The balance that a buyer retains. */
const minRemainder = 2_000n * finney;

/** Searches the newest plants, and returns the id of the first that the gardener owns; null if there is none. */
const findForSale = async ({ client, values, artifacts }: LiveContext, planted: bigint): Promise<bigint | null> => {
  const { abi } = artifacts.gardenCollection;
  for (let id = planted; id > 0n && id > planted - searchedPlants; id--) {
    // ownerOf() reverts for a burnt plant.
    const owner = await readContract<Address>(client, values.gardenCollection as Address, abi, "ownerOf", [id]).catch(() => null);
    if (owner?.toLowerCase() === values.gardener) return id;
  }
  return null;
};

/** Chooses the purchase of a plant from the gardener, or the mint of a plant if there is none to buy or the buyer cannot pay. */
export const chooseMarketAction = async (context: LiveContext, buyer: Address): Promise<LiveAction> => {
  const { client, values, artifacts, random } = context;
  const [garden, gardener, seaport] = [values.gardenCollection as Address, values.gardener as Address, values.seaport as Address];
  const { abi } = artifacts.gardenCollection;
  const planted = await readContract<bigint>(client, garden, abi, "planted");
  const id = random.oneIn(3) ? null : await findForSale(context, planted);
  const price = BigInt(random.between(120, 600)) * finney;
  const balance = BigInt(await client.request<Hex>("eth_getBalance", [buyer, "latest"]));
  if (id === null || buyer === gardener || balance < price + minRemainder)
    return { from: values.deployer as Address, to: garden, data: encode(abi, "plant", [[random.oneIn(2) ? gardener : buyer]]) };
  const marketplace = { seaport, feeCollector: values.marketFees as Address, artist: gardener, weth: values.wrappedNative as Address };
  const order = createOrderBuilder(marketplace, BigInt(context.now())).list(gardener, [erc721Item(garden, id)], "native", price);
  const signature = await signOrder(order, { chainId, address: seaport }, gardenerPrivateKey);
  return { from: buyer, to: seaport, value: price, data: encodeFulfillOrder({ order, signature }) };
};
