import type { Address } from "../../runtime/lib/hex.ts";
import { hexOf } from "../support/random.ts";
import type { NftMarket } from "./nft-market.ts";

/** A token and its metadata document. */
export interface TokenDocument {
  readonly token: Address;
  readonly id: number;
  readonly standard: "erc721" | "erc1155";
  readonly url: string;
  readonly text: string;
}

interface Trait {
  readonly trait_type: string;
  readonly value: string | number;
  readonly display_type?: string;
}

const documentKind = 67;
/** Text traits with their number of values. The first values are more frequent. */
const textTraits = [
  ["Paper", 6],
  ["Ink", 12],
  ["Season", 4],
  ["Weather", 9],
  ["Planet", 8],
  ["Border", 20],
  ["Beast", 40],
  ["Herb", 60],
] as const;

/** The twelve traits of a token: eight shared text traits, one unique text trait and three numeric traits. */
export const traitsOf = (id: number): readonly Trait[] => {
  const digits = hexOf(documentKind, id, 16).slice(2);
  const chance = (position: number): number => Number.parseInt(digits.slice(position * 8, position * 8 + 8), 16) / 2 ** 32;
  return [
    ...textTraits.map(([name, count], position) => ({ trait_type: name, value: `${name} ${Math.floor(chance(position) ** 2 * count)}` })),
    { trait_type: "Serial", value: `No. ${id}` },
    { trait_type: "Moons", value: Math.floor(chance(9) * 30) },
    { trait_type: "Luck", value: Math.floor(chance(10) * 101), display_type: "boost_percentage" },
    { trait_type: "Printed", value: 1_700_000_000 + Math.floor(id / 100) * 86_400, display_type: "date" },
  ];
};

/** Generates the metadata of all tokens of the large collection, the small ones and the editions. */
export function* documentsOf(nftMarket: NftMarket, tokens: number): Generator<TokenDocument> {
  for (let id = 0; id < tokens; id += 1) yield documentOf(nftMarket.largeCollection, id, "erc721");
  for (const token of nftMarket.smallCollections)
    for (let id = 0; id < nftMarket.tokensPerSmallCollection; id += 1) yield documentOf(token, id, "erc721");
  for (let id = 0; id < nftMarket.editionIdCount; id += 1) yield documentOf(nftMarket.editions, id, "erc1155");
}

const documentOf = (token: Address, id: number, standard: TokenDocument["standard"]): TokenDocument => {
  const folder = `ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/${token.slice(2, 10)}`;
  const document = {
    name: `Leaf ${id}`,
    description:
      "A leaf of a generated almanac, about as long as the description of a typical document: who drew it, when, and what it shows.",
    image: `${folder}/${id}.png`,
    external_url: `https://almanac.example/${id}`,
    attributes: traitsOf(id),
  };
  return { token, id, standard, url: `${folder}/${id}`, text: JSON.stringify(document) };
};
