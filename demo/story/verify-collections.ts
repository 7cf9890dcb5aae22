import { type Abi, decodeFunctionResult, multicall3Abi } from "viem";
import type { Address, Hex } from "../../runtime/lib/hex.ts";
import { hostileTokens } from "../chapters/hostile-tokens.ts";
import type { Artifacts } from "../contracts/artifacts.ts";
import { multicall3Address } from "../contracts/multicall.ts";
import type { NodeClient } from "../node/client.ts";
import { encode } from "./encode.ts";
import { readContract } from "./read-contract.ts";
import type { StoryValues } from "./story-values.ts";

const callsPerMulticall = 500;

/** The expected owners of tokens by token id; null for burnt tokens. */
export interface Ownership {
  readonly garden: ReadonlyMap<bigint, Address | null>;
  readonly lanterns: ReadonlyMap<bigint, Address | null>;
  readonly faces: ReadonlyMap<bigint, Address | null>;
}

const check = (holds: boolean, difference: string): void => {
  if (!holds) throw new Error(`The demo's collections differ from the story: ${difference}`);
};

/** Calls a view function for each token id at the head; null if it reverts. */
const readEach = async (node: NodeClient, to: Address, abi: Abi, functionName: string, ids: readonly bigint[]): Promise<unknown[]> => {
  const values: unknown[] = [];
  for (let start = 0; start < ids.length; start += callsPerMulticall) {
    const calls = ids
      .slice(start, start + callsPerMulticall)
      .map((id) => ({ target: to, allowFailure: true, callData: encode(abi, functionName, [id]) }));
    const results = await readContract<readonly { readonly success: boolean; readonly returnData: Hex }[]>(
      node,
      multicall3Address,
      multicall3Abi,
      "aggregate3",
      [calls],
    );
    for (const { success, returnData } of results)
      values.push(success ? decodeFunctionResult({ abi, functionName, data: returnData }) : null);
  }
  return values;
};

/** Verifies the owner of every token of the collections, and the number of tokens. @throws {Error} at the first difference. */
export const verifyCollections = async (
  node: NodeClient,
  artifacts: Artifacts,
  values: StoryValues,
  ownership: Ownership,
): Promise<void> => {
  const checkOwners = async (
    name: string,
    { abi }: { readonly abi: Abi },
    functionName: string,
    owners: Ownership["garden"],
  ): Promise<void> => {
    const results = await readEach(node, values[name] as Address, abi, functionName, [...owners.keys()]);
    [...owners].forEach(([id, owner], index) => {
      const found = results[index];
      check((typeof found === "string" ? found.toLowerCase() : null) === owner, `owner of ${name} ${id} is ${found}, expected ${owner}`);
    });
  };
  const checkCount = async (name: string, { abi }: { readonly abi: Abi }, functionName: string, expected: number): Promise<void> => {
    const found = await readContract<bigint>(node, values[name] as Address, abi, functionName);
    check(found === BigInt(expected), `${name} has ${found} tokens, expected ${expected}`);
  };
  await checkOwners("gardenCollection", artifacts.gardenCollection, "ownerOf", ownership.garden);
  await checkCount("gardenCollection", artifacts.gardenCollection, "planted", ownership.garden.size);
  await checkOwners("gatewayCollection", artifacts.basedCollection, "ownerOf", ownership.lanterns);
  await checkCount("gatewayCollection", artifacts.basedCollection, "minted", ownership.lanterns.size);
  await checkOwners("punks", artifacts.punkLike, "punkIndexToAddress", ownership.faces);
  const hostileOwners = new Map(hostileTokens.map((_, index) => [BigInt(index + 1), values.hostileOwner as Address]));
  await checkOwners("hostileCollection", artifacts.hostileCollection, "ownerOf", hostileOwners);
  await checkCount("hostileCollection", artifacts.hostileCollection, "minted", hostileTokens.length);
  for (const name of ["gardenTokenId", "tradedTokenId"])
    check(ownership.garden.get(BigInt(values[name] ?? "")) === values.collector, `the collector does not own the plant ${name}`);
  check(BigInt(await node.request<Hex>("eth_getBalance", [values.marketFees, "latest"])) > 0n, "the marketplace has earned no fees");
};
