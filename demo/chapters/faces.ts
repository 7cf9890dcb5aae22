import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";

const supply = 40n;
/** The number of faces assigned at the start; anyone may claim the rest. */
const assignedCount = 30;
const finney = 10n ** 15n;
const maxAttempts = 20;

/** The collection and the owners of its tokens; ids start at 0. */
interface Faces {
  readonly faces: Address;
  readonly owners: readonly Address[];
}

/** Deploys a collection like CryptoPunks, which predates ERC-721 and is its own marketplace, and calls each of its functions. */
export const setUpFaces = async (context: StoryContext, accounts: Accounts): Promise<Faces & { dailyCalls: DailyCalls }> => {
  const { artifacts, holdings } = context;
  const { abi } = artifacts.punkLike;
  const { deployer, collector, dealers } = accounts;
  const faces = await context.deploy(deployer, artifacts.punkLike, [supply]);
  const random = context.createRandom("faces");
  const owners: Address[] = Array.from({ length: assignedCount }, (_, index) => (index < 3 ? collector : random.pick(dealers)));
  const call = (from: Address, functionName: string, parameters: readonly unknown[], value = 0n): Call => ({
    from,
    to: faces,
    value,
    data: encode(abi, functionName, parameters),
    gas: 200_000,
  });
  await context.mine([
    { ...call(deployer, "setInitialOwners", [owners, owners.map((_, index) => BigInt(index))]), gas: 100_000 + assignedCount * 60_000 },
    call(deployer, "allInitialOwnersAssigned", []),
  ]);

  const findPayer = (day: number, owner: Address, price: bigint): Address | undefined => {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const payer = random.pick(accounts.activeUsers(day));
      if (payer !== owner && holdings.balanceOf(nativeTokenAddress, payer) >= price) return payer;
    }
    return undefined;
  };
  /** Excludes the first face, which the collector keeps. */
  const pick = (): number => random.between(1, owners.length - 1);
  const sellers = new Set<Address>();

  const randomAction = (day: number): readonly Call[] => {
    const face = pick();
    const id = BigInt(face);
    const owner = owners[face] as Address;
    const price = BigInt(random.between(150, 900)) * finney;
    const payer = findPayer(day, owner, price);
    if (payer === undefined) return [];
    const pay = (functionName: string): Call => {
      holdings.deduct(nativeTokenAddress, payer, price);
      return call(payer, functionName, [id], price);
    };
    const kind = random.below(9);
    if (kind === 0 && owners.length < Number(supply)) {
      owners.push(payer);
      return [call(payer, "getPunk", [BigInt(owners.length - 1)])];
    }
    if (kind === 1) return [call(owner, "offerPunkForSale", [id, price]), call(owner, "punkNoLongerForSale", [id])];
    if (kind === 2) {
      owners[face] = payer;
      return [call(owner, "transferPunk", [payer, id])];
    }
    if (kind === 3) {
      holdings.receive(nativeTokenAddress, payer, price);
      return [pay("enterBidForPunk"), call(payer, "withdrawBidForPunk", [id])];
    }
    owners[face] = payer;
    sellers.add(owner);
    if (kind < 6) return [pay("enterBidForPunk"), call(owner, "acceptBidForPunk", [id, price])];
    const offer = kind === 6 ? call(owner, "offerPunkForSaleToAddress", [id, price, payer]) : call(owner, "offerPunkForSale", [id, price]);
    return [offer, pay("buyPunk")];
  };
  /** The oldest seller with unclaimed proceeds withdraws them. */
  const withdraw = (): readonly Call[] => {
    const [seller] = sellers;
    if (seller === undefined) return [];
    sellers.delete(seller);
    return [call(seller, "withdraw", [])];
  };
  return { faces, owners, dailyCalls: (day) => (day % 2 === 0 ? randomAction(day) : day % 9 === 0 ? withdraw() : []) };
};
