import { idsOf, ownersOf, type StoryDocument, type TokenMove, unitsOf, zeroAddress } from "../support/story-collections.ts";
import { logsOf, storyValue, timeOf, transferTopic } from "../support/story-node.ts";

/** The client's representation of a token's data. */
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

/** Embedded pictures are returned as base64, however they were encoded. */
const pictureOf = (image: string | null): string | null => {
  const [, text] = /^data:image\/svg\+xml,(.*)$/s.exec(image ?? "") ?? [];
  return text === undefined ? image : `data:image/svg+xml;base64,${Buffer.from(decodeURIComponent(text)).toString("base64")}`;
};

/** The fields of a document as the service returns them. */
export const documentFields = ({ name, description, image, external_url, traits }: StoryDocument) => ({
  name,
  description,
  image: pictureOf(image),
  external_url,
  attributes: traits?.map(({ trait_type, value }) => ({ trait_type, value })) ?? null,
});

/** The fields of a served document; null without one. */
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

/** The collections of which an account received a token according to their logs. */
export const collectionsReceivedBy = async (owner: string): Promise<string[]> => {
  const [old, multi] = await Promise.all([
    logsOf({ topics: [transferTopic, null, word(owner)] }),
    // The receiver is the third argument of TransferSingle and TransferBatch.
    logsOf({ topics: [null, null, null, word(owner)] }),
  ]);
  const logs = [...old.filter(({ topics }) => topics.length === 4), ...multi];
  return [...new Set(logs.map(({ address }) => address))].sort();
};

/** Holdings of a collection by id: ids that were ever received and that the contract still reports. */
export const heldOf = async (owner: string, moves: readonly TokenMove[], collection: string): Promise<Map<bigint, bigint>> => {
  const ids = idsOf(moves.filter(({ to }) => to === owner));
  const owners = await ownersOf(collection, ids);
  // An ERC-1155 contract has no ownerOf.
  const units = owners.every((each) => each === zeroAddress)
    ? await unitsOf(
        collection,
        ids.map((id) => [owner, id] as const),
      )
    : owners.map((each) => (each === owner ? 1n : 0n));
  return new Map(ids.flatMap((id, index) => ((units[index] ?? 0n) > 0n ? [[id, units[index] ?? 0n] as const] : [])));
};

/** The time of the last transfer. */
export const lastMove = async (moves: readonly TokenMove[]): Promise<number> => timeOf(Math.max(...moves.map(({ block }) => block)));

/** The faces of an account according to the contract. */
export async function facesOf(owner: string): Promise<bigint[]> {
  const ids = Array.from({ length: 40 }, (_, id) => BigInt(id));
  const owners = await ownersOf(storyValue("punks"), ids, "punkIndexToAddress");
  return ids.filter((_, index) => owners[index] === owner);
}
