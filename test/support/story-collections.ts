import { decodeAbiParameters, encodeFunctionData, parseAbi, toEventSelector } from "viem";
import { lanternDocument, lanternFolderCid } from "../../demo/chapters/lantern-documents.ts";
import { addressOf, callResults, logsOf, type NodeLog, storyValue, transferTopic } from "./story-node.ts";

const abi = parseAbi([
  "function ownerOf(uint256 id) view returns (address)",
  "function balanceOf(address owner, uint256 id) view returns (uint256)",
  "function tokenURI(uint256 id) view returns (string)",
  "function uri(uint256 id) view returns (string)",
  "function getApproved(uint256 id) view returns (address)",
  "function isApprovedForAll(address owner, address operator) view returns (bool)",
  "function allowance(address owner, address spender) view returns (uint256)",
  "function punkIndexToAddress(uint256 id) view returns (address)",
]);
type Method = (typeof abi)[number]["name"];

/** keccak256 of EIP-1155's events. */
const single = toEventSelector("TransferSingle(address,address,address,uint256,uint256)");
const batch = toEventSelector("TransferBatch(address,address,address,uint256[],uint256[])");
export const zeroAddress = `0x${"0".repeat(40)}`;

/** A transfer of token units, from a collection's log. */
export interface TokenMove {
  readonly id: bigint;
  readonly from: string;
  readonly to: string;
  readonly units: bigint;
  readonly block: number;
  readonly logIndex: number;
  readonly hash: string;
}

const movesIn = (log: NodeLog): TokenMove[] => {
  const { topics, data } = log;
  const position = { block: Number(log.blockNumber), logIndex: Number(log.logIndex), hash: log.transactionHash };
  if (topics[0] === transferTopic && topics.length === 4)
    return [{ ...position, id: BigInt(topics[3] ?? 0), from: addressOf(topics[1]), to: addressOf(topics[2]), units: 1n }];
  const parties = { ...position, from: addressOf(topics[2]), to: addressOf(topics[3]) };
  if (topics[0] === single) {
    const [id, units] = decodeAbiParameters([{ type: "uint256" }, { type: "uint256" }], data as `0x${string}`);
    return [{ ...parties, id, units }];
  }
  if (topics[0] !== batch) return [];
  const [ids, amounts] = decodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], data as `0x${string}`);
  return ids.map((id, index) => ({ ...parties, id, units: amounts[index] ?? 0n }));
};

/** Reads the transfers of a collection's tokens, oldest first. Harbor Faces are not supported: their contract emits other events. */
export const movesOf = async (collection: string): Promise<TokenMove[]> => (await logsOf({ address: collection })).flatMap(movesIn);

/** Returns the ids that were transferred, ascending. */
export const idsOf = (moves: readonly TokenMove[]): bigint[] =>
  [...new Set(moves.filter(({ units }) => units > 0n).map(({ id }) => id))].sort((a, b) => (a < b ? -1 : 1));

/** Calls a view function for each list of arguments at the head; the result is null if a call reverts. */
export const callForEach = async (to: string, functionName: Method, all: readonly (readonly unknown[])[]): Promise<(string | null)[]> =>
  callResults(all.map((args) => ({ to, data: encodeFunctionData({ abi, functionName, args } as never) })));

/** Reads the owners of ids; the zero address if the call reverts. */
export const ownersOf = async (collection: string, ids: readonly bigint[], functionName: Method = "ownerOf"): Promise<string[]> =>
  (
    await callForEach(
      collection,
      functionName,
      ids.map((id) => [id]),
    )
  ).map((word) => (word === null ? zeroAddress : addressOf(word)));

/** Reads balances by balanceOf(address,uint256). */
export const unitsOf = async (collection: string, all: readonly (readonly [owner: string, id: bigint])[]): Promise<bigint[]> =>
  (await callForEach(collection, "balanceOf", all)).map((word) => BigInt(word ?? 0));

/** Reads the metadata URIs of ids; null if the call reverts. */
export const urisOf = async (collection: string, ids: readonly bigint[], functionName: "tokenURI" | "uri"): Promise<(string | null)[]> =>
  (
    await callForEach(
      collection,
      functionName,
      ids.map((id) => [id]),
    )
  ).map((data) => (data === null ? null : decodeAbiParameters([{ type: "string" }], data as `0x${string}`)[0]));

/** EIP-1155: an id in a URI is written as 64 lower-case hex digits. */
const withId = (uri: string, id: bigint): string => uri.replaceAll("{id}", id.toString(16).padStart(64, "0"));

/** Returns a URI's document: the data in data: URIs (RFC 2397), or the gateway's document for a lantern. */
const readUri = (uri: string): string => {
  const lantern = new RegExp(`^ipfs://${lanternFolderCid}/(\\d+)$`).exec(uri);
  if (lantern !== null) return lanternDocument(Number(lantern[1]));
  // A fragment is not part of the document (RFC 3986, section 3.5).
  const [, base64, data = ""] = /^data:application\/json(;base64)?,([^#]*)/.exec(uri) ?? [];
  return base64 === undefined ? decodeURIComponent(data) : Buffer.from(data, "base64").toString("utf8");
};

/** A trait in a document. */
interface WrittenTrait {
  readonly trait_type?: unknown;
  readonly value?: unknown;
  readonly display_type?: unknown;
}

/** A trait in a response. */
export interface Trait {
  readonly trait_type: string | null;
  readonly value: string | null;
  readonly isNumber: boolean;
}

/** A parsed metadata document. */
export interface StoryDocument {
  readonly name: string;
  readonly description: string | null;
  readonly image: string | null;
  readonly external_url: string | null;
  readonly traits: readonly Trait[] | null;
}

const textOf = (value: unknown): string | null =>
  value === null || value === undefined ? null : typeof value === "string" ? value : JSON.stringify(value);

/** Converts a document's entry to traits: dates become ISO 8601 times, and a list of values becomes one trait per value. */
const traitsIn = (entry: unknown): Trait[] => {
  if (typeof entry !== "object" || entry === null) return [{ trait_type: null, value: textOf(entry), isNumber: typeof entry === "number" }];
  const { trait_type: name, value, display_type: display } = entry as WrittenTrait;
  const trait_type = textOf(name);
  const isNumber = typeof value === "number";
  if (display === "date" && isNumber) return [{ trait_type, value: new Date(value * 1000).toISOString().replace(".000Z", "Z"), isNumber }];
  return (Array.isArray(value) ? value : [value]).map((item) => ({ trait_type, value: textOf(item), isNumber: typeof item === "number" }));
};

/** Parses a document; its traits are a list of entries or an object of values. */
const readStoryDocument = (text: string): StoryDocument => {
  const { name, description, image, external_url: external, attributes } = JSON.parse(text) as Record<string, unknown>;
  const traits = Array.isArray(attributes)
    ? attributes.flatMap(traitsIn)
    : typeof attributes === "object" && attributes !== null
      ? Object.entries(attributes).flatMap(([trait_type, value]) => traitsIn({ trait_type, value }))
      : null;
  return { name: String(name), description: textOf(description), image: textOf(image), external_url: textOf(external), traits };
};

/** Reads the documents for a collection's ids, except those with a reverting URI call. */
export async function documentsOf(
  collection: string,
  ids: readonly bigint[],
  functionName: "tokenURI" | "uri" = "tokenURI",
): Promise<Map<bigint, StoryDocument & { readonly uri: string }>> {
  const uris = await urisOf(collection, ids, functionName);
  return new Map(
    ids.flatMap((id, index) => {
      const uri = uris[index];
      return uri === null || uri === undefined ? [] : [[id, { uri, ...readStoryDocument(readUri(withId(uri, id))) }] as const];
    }),
  );
}

/** Counts the tokens with each value of each trait; a token that lists a value twice is counted once. */
export function countTraits(documents: Iterable<Pick<StoryDocument, "traits">>): Map<string, Map<string | null, number>> {
  const counts = new Map<string, Map<string | null, number>>();
  for (const { traits } of documents) {
    const distinct = new Map((traits ?? []).map(({ trait_type, value }) => [JSON.stringify([trait_type, value]), { trait_type, value }]));
    for (const { trait_type: name, value } of distinct.values()) {
      if (name === null) continue;
      const values = counts.get(name) ?? new Map<string | null, number>();
      values.set(value, (values.get(value) ?? 0) + 1);
      counts.set(name, values);
    }
  }
  return counts;
}

/** The story's collections without hostile metadata. */
export const regularCollections = () => ({
  art: storyValue("artCollection"),
  garden: storyValue("gardenCollection"),
  lanterns: storyValue("gatewayCollection"),
  editions: storyValue("editionsCollection"),
});
