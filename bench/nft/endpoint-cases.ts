import type { EndpointCase, Variant } from "../support/endpoint-case.ts";
import type { NftMarket, NftMarketSize } from "./nft-market.ts";

const variant = (name: string, ...paths: readonly string[]): Variant => ({ name, paths: paths.map((path) => `bench/${path}`) });
const csv = "format=csv";
const ordinaryOf = ({ traders }: NftMarket) => traders.slice(Math.floor(traders.length / 4), Math.floor(traders.length / 4) + 5);
const busyOf = ({ traders }: NftMarket) => traders.slice(0, 3);

/** The requests to the NFT and approval endpoints: first, deep and filtered pages, of ordinary and of large wallets. */
export const endpointCases = (nftMarket: NftMarket, { tokens }: NftMarketSize): readonly EndpointCase[] => [
  walletCase(nftMarket),
  ...tokenCases(nftMarket, tokens),
  ...traitCases(nftMarket),
  ...marketCases(nftMarket),
  ...ownershipCases(nftMarket, tokens),
  ...approvalCases(nftMarket),
];

const walletCase = (nftMarket: NftMarket): EndpointCase => {
  const { whale, curator } = nftMarket;
  const [ordinary, busy] = [ordinaryOf(nftMarket), busyOf(nftMarket)];
  const balances = (wallet: string, query = ""): string => `address/${wallet}/balances_nft/?${query}`;
  return {
    row: 7,
    name: "NFTs of a wallet",
    variants: [
      variant("ordinary wallets", ...ordinary.map((wallet) => balances(wallet))),
      variant("ordinary wallets, no assets", ...ordinary.map((wallet) => balances(wallet, "no-nft-asset-metadata=true"))),
      variant("CSV of ordinary wallets", ...ordinary.map((wallet) => balances(wallet, csv))),
      variant("busy wallets", ...busy.map((wallet) => balances(wallet))),
      variant("1,000 ids", balances(whale)),
      variant("1,000 ids, no assets", balances(whale, "no-nft-asset-metadata=true")),
      variant("200 collections", balances(curator)),
      variant("200 collections, no spam", balances(curator, "no-spam=true")),
      variant("CSV of 200 collections", balances(curator, csv)),
    ],
  };
};

const tokenCases = ({ largeCollection, smallCollections, editions }: NftMarket, tokens: number): readonly EndpointCase[] => {
  const lastPage = Math.max(0, Math.ceil(tokens / 100) - 1);
  /** Tokens spread over the collection. */
  const ids = [0, 0.001, 0.1, 0.5, 0.9].map((share) => Math.floor(share * tokens));
  const metadata = (query: string, collection = largeCollection): string => `nft/${collection}/metadata/?${query}`;
  const token = (id: number, query = ""): string => `nft/${largeCollection}/metadata/${id}/?${query}`;
  const transactions = (id: number, query = ""): string => `tokens/${largeCollection}/nft_transactions/${id}/?${query}`;
  return [
    {
      row: 8,
      name: "tokens of a collection",
      variants: [
        variant("first page", metadata("")),
        variant("last page", metadata(`page-number=${lastPage}`)),
        variant("middle page", metadata(`page-number=${Math.floor(lastPage / 2)}`)),
        variant("no metadata", metadata("no-metadata=true")),
        variant("frequent value", metadata("traits-filter=Season&values-filter=Season%200")),
        variant(
          "frequent value, deep page",
          metadata(`traits-filter=Season&values-filter=Season%200&page-number=${Math.floor(lastPage / 4)}`),
        ),
        variant("rare value", metadata("traits-filter=Herb&values-filter=Herb%2058")),
        variant("one token's value", metadata(`traits-filter=Serial&values-filter=No.%20${ids[3]}`)),
        variant("traits alone", metadata("traits-filter=Ink,Beast")),
        variant("values alone", metadata("values-filter=Ink%203,Beast%2020")),
        variant("small collections", ...smallCollections.slice(0, 5).map((collection) => metadata("", collection))),
        variant("ERC-1155", metadata("", editions)),
        variant("CSV", metadata(csv)),
      ],
    },
    {
      row: 9,
      name: "one token",
      variants: [
        variant("any", ...ids.map((id) => token(id))),
        variant("no metadata", ...ids.map((id) => token(id, "no-metadata=true"))),
        variant("CSV", token(0, csv)),
      ],
    },
    {
      row: 10,
      name: "transactions of a token",
      variants: [
        variant("ordinary tokens", ...ids.slice(2).map((id) => transactions(id))),
        variant("ordinary tokens, no spam", ...ids.slice(2).map((id) => transactions(id, "no-spam=true"))),
        variant("never traded", transactions(tokens - 1)),
        variant("250 transactions", ...[1, 2, 3].map((id) => transactions(id))),
        variant("700 transactions", transactions(0)),
        variant("CSV", ...ids.slice(2).map((id) => transactions(id, csv))),
      ],
    },
  ];
};

const traitCases = ({ largeCollection, smallCollections, editions }: NftMarket): readonly EndpointCase[] => {
  const ofCollections = (path: (collection: string) => string): readonly Variant[] => [
    variant("10,000 tokens", path(largeCollection)),
    variant("50 tokens", ...smallCollections.slice(0, 5).map(path)),
    variant("ERC-1155", path(editions)),
    variant("CSV", `${path(largeCollection)}?${csv}`),
  ];
  const trait = (name: string, query = ""): string => `nft/${largeCollection}/traits/${name}/attributes/?${query}`;
  return [
    { row: 11, name: "traits", variants: ofCollections((collection) => `nft/${collection}/traits/`) },
    { row: 12, name: "trait summary", variants: ofCollections((collection) => `nft/${collection}/traits_summary/`) },
    {
      row: 13,
      name: "values of a trait",
      variants: [
        variant("few values", trait("Season"), trait("Ink")),
        variant("60 values", trait("Herb")),
        variant("numbers", trait("Luck")),
        variant("10,000 values", trait("Serial")),
        variant("CSV", trait("Herb", csv)),
      ],
    },
    {
      row: 14,
      name: "collections",
      variants: [
        variant("first page", "nft/collections/"),
        variant("second half", `nft/collections/?page-size=${smallCollections.length / 2}&page-number=1`),
        variant("no spam", "nft/collections/?no-spam=true"),
        variant("CSV", `nft/collections/?${csv}`),
      ],
    },
  ];
};

const marketCases = ({ largeCollection, smallCollections, editions }: NftMarket): readonly EndpointCase[] => {
  const market = (kind: string): readonly Variant[] => [
    variant("30 days", `nft_market/${largeCollection}/${kind}/`),
    variant("a year", `nft_market/${largeCollection}/${kind}/?days=365`),
    variant("a year in euros", `nft_market/${largeCollection}/${kind}/?days=365&quote-currency=EUR`),
    variant("small collections", ...smallCollections.slice(0, 5).map((collection) => `nft_market/${collection}/${kind}/`)),
    variant("ERC-1155", `nft_market/${editions}/${kind}/`),
    variant("CSV", `nft_market/${largeCollection}/${kind}/?days=365&${csv}`),
  ];
  return [
    { row: 15, name: "floor prices", variants: market("floor_price") },
    { row: 16, name: "volumes", variants: market("volume") },
    { row: 17, name: "counts of sales", variants: market("sale_count") },
  ];
};

const ownershipCases = (nftMarket: NftMarket, tokens: number): readonly EndpointCase[] => {
  const { largeCollection, smallCollections, editions, publisher, whale, curator } = nftMarket;
  const busy = busyOf(nftMarket);
  const owned = (wallet: string, query = "", collection = largeCollection): string =>
    `address/${wallet}/collection/${collection}/?${query}`;
  return [
    {
      row: 18,
      name: "NFTs of a wallet in a collection",
      variants: [
        variant("busy wallets", ...busy.map((wallet) => owned(wallet))),
        variant("1,000 ids", owned(whale)),
        variant("1,000 ids, frequent value", owned(whale, "traits-filter=Season&values-filter=Season%200")),
        variant("1,000 ids, one token's value", owned(whale, `traits-filter=Serial&values-filter=No.%20${tokens - 2}`)),
        variant("three ids of small collections", ...smallCollections.slice(0, 5).map((collection) => owned(curator, "", collection))),
        variant("CSV of 1,000 ids", owned(whale, csv)),
      ],
    },
    {
      row: 19,
      name: "ownership of a token",
      variants: [
        variant(
          "owned tokens",
          `address/${whale}/collection/${largeCollection}/token/${tokens - 1}/`,
          `address/${whale}/collection/${largeCollection}/token/${tokens - 2}/`,
        ),
        variant("units", `address/${publisher}/collection/${editions}/token/7/`),
        variant("CSV", `address/${whale}/collection/${largeCollection}/token/${tokens - 1}/?${csv}`),
      ],
    },
  ];
};

const approvalCases = (nftMarket: NftMarket): readonly EndpointCase[] => {
  const { approver } = nftMarket;
  const ordinary = ordinaryOf(nftMarket);
  return [
    {
      row: 20,
      name: "allowances of a wallet",
      variants: [variant("500 allowances", `approvals/${approver}/`), variant("CSV of 500", `approvals/${approver}/?${csv}`)],
    },
    {
      row: 21,
      name: "NFT approvals of a wallet",
      variants: [
        variant("500 approvals", `nft/approvals/${approver}/`),
        variant("one operator", ...ordinary.map((wallet) => `nft/approvals/${wallet}/`)),
        variant("CSV of 500", `nft/approvals/${approver}/?${csv}`),
      ],
    },
  ];
};
