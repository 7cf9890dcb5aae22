import { idsOf, ownersOf, type StoryDocument, type TokenMove, unitsOf, zeroAddress } from "../support/story-collections.ts";
import { logsOf, storyValue, timeOf, transferTopic } from "../support/story-node.ts";

/** A token's data as the client returns it. */
interface ServedToken {
  readonly token_id: bigint | null;
  readonly token_url: string | null;
  readonly external_data: {
    readonly name: string;
    readonly description: string | null;
    readonly image: string | null;
    readonly external_url: string | null;
    readonly attributes: readonly { readonly trait_type: string | null; readonly value: string | null }[] | null;
  } | null;
}

/** The served form of an image: an embedded image is returned as base64, regardless of its original encoding. */
const imageOf = (image: string | null): string | null => {
  const [, text] = /^data:image\/svg\+xml,(.*)$/s.exec(image ?? "") ?? [];
  return text === undefined ? image : `data:image/svg+xml;base64,${Buffer.from(decodeURIComponent(text)).toString("base64")}`;
};

/** The fields of a document as the service returns them. */
export const documentFields = ({ name, description, image, external_url, traits }: StoryDocument) => ({
  name,
  description,
  image: imageOf(image),
  external_url,
  attributes: traits?.map(({ trait_type, value }) => ({ trait_type, value })) ?? null,
});

/** The fields of a served document; null if there is none. */
export const servedFields = ({ external_data: data }: ServedToken) =>
  data === null
    ? null
    : {
        name: data.name,
        description: data.description,
        image: data.image,
        external_url: data.external_url,
        attributes: data.attributes?.map(({ trait_type, value }) => ({ trait_type, value })) ?? null,
      };

const word = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`;

/** The collections from which an account received a token, according to their logs. */
export const collectionsReceivedBy = async (owner: string): Promise<string[]> => {
  const [erc721, erc1155] = await Promise.all([
    logsOf({ topics: [transferTopic, null, word(owner)] }),
    // The recipient is the third indexed argument of TransferSingle and TransferBatch.
    logsOf({ topics: [null, null, null, word(owner)] }),
  ]);
  const logs = [...erc721.filter(({ topics }) => topics.length === 4), ...erc1155];
  return [...new Set(logs.map(({ address }) => address))].sort();
};

/** An owner's units in a collection, by id: ids that the owner received and still holds according to the contract. */
export const heldOf = async (owner: string, moves: readonly TokenMove[], collection: string): Promise<Map<bigint, bigint>> => {
  const ids = idsOf(moves.filter(({ to }) => to === owner));
  const owners = await ownersOf(collection, ids);
  // An ERC-1155 contract has no ownerOf.
  const units = owners.every((holder) => holder === zeroAddress)
    ? await unitsOf(
        collection,
        ids.map((id) => [owner, id] as const),
      )
    : owners.map((holder) => (holder === owner ? 1n : 0n));
  return new Map(ids.flatMap((id, index) => ((units[index] ?? 0n) > 0n ? [[id, units[index] ?? 0n] as const] : [])));
};

/** The time of the newest transfer. */
export const lastMoveTime = async (moves: readonly TokenMove[]): Promise<number> => timeOf(Math.max(...moves.map(({ block }) => block)));

/** An account's punks, according to the contract. */
export async function punksOf(owner: string): Promise<bigint[]> {
  const ids = Array.from({ length: 40 }, (_, id) => BigInt(id));
  const owners = await ownersOf(storyValue("punks"), ids, "punkIndexToAddress");
  return ids.filter((_, index) => owners[index] === owner);
}
