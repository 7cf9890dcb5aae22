import { envelope, flag, hex, number, plain, pretty, standardsOf, text, time } from "./json.ts";
import type { Route, Row } from "./route.ts";

/** Media types by file extension. The documents of the generated chain refer only to PNG files. */
const mediaTypes: Readonly<Record<string, string>> = { png: "image/png" };
const erc721 = "2";

/** The attributes of a jsonb column, whose fields PostgreSQL sorts in another order. */
function attributesOf(column: string | null | undefined): string {
  if (column === null || column === undefined) return "null";
  const list: readonly { readonly trait_type: unknown; readonly value: unknown }[] = JSON.parse(column);
  return JSON.stringify(list.map(({ trait_type, value }) => ({ trait_type, value })));
}

/** A token and its document, from the columns `token_id, original_owner, token_url, refusal, …, asset_bytes`. */
function nftOf(columns: Row, owner: string | null): string {
  const [id, original, url, refusal, hasDocument, name, description, image, animation, external, attributes, assetBytes] = columns;
  const asset = animation ?? image ?? null;
  const extension = asset === null ? null : (/\.([a-z0-9]{1,10})$/.exec(asset)?.[1] ?? null);
  const document =
    hasDocument !== "t"
      ? "null"
      : `{"name":${text(name)},"description":${text(description)},"asset_url":${text(asset)},"asset_file_extension":${plain(extension)},` +
        `"asset_mime_type":${plain(mediaTypes[extension ?? ""])},"asset_size_bytes":${plain(assetBytes)},"image":${text(image)},"image_256":null,` +
        `"image_512":null,"image_1024":null,"animation_url":${text(animation)},"external_url":${text(external)},"attributes":${attributesOf(attributes)}}`;
  return (
    `{"token_id":"${id}","token_url":${text(url)},"original_owner":${hex(original)},"current_owner":${plain(owner)},"external_data":${document},` +
    `"asset_cached":${flag(hasDocument)},"image_cached":false,"metadata_refusal":${text(refusal)}}`
  );
}

/** A floor price in whole native tokens. */
const wholeNative = (price: string | null | undefined): string =>
  price === null || price === undefined ? "null" : String(Number(`${price}e-18`));

/** The number of collection columns, which precede the id columns. */
const collectionColumns = 10;

function collectionsOf(rows: readonly Row[], wallet: string): string {
  const items: string[] = [];
  let position = 0;
  while (position < rows.length) {
    const row = rows[position] ?? [];
    const [token, standard, balance, movedAt, balance24h, name, symbol, standards, floor, floorQuote] = row;
    const ids: string[] = [];
    while (rows[position] !== undefined && rows[position]?.[0] === token && rows[position]?.[1] === standard) {
      const [id, idBalance, ...details] = (rows[position] ?? []).slice(collectionColumns);
      if (id !== null) ids.push(nftOf([id ?? null, ...details], standard === erc721 && idBalance !== null ? wallet : null));
      position += 1;
    }
    items.push(
      `{"contract_name":${text(name)},"contract_ticker_symbol":${text(symbol)},"contract_address":${hex(token)},"supports_erc":${standardsOf(standards)},` +
        `"is_spam":false,"last_transfered_at":${time(movedAt)},"balance":${plain(balance)},"balance_24h":${plain(balance24h)},"type":"nft",` +
        `"floor_price_quote":${number(floorQuote)},"pretty_floor_price_quote":${pretty(floorQuote)},"floor_price_native_quote":${wholeNative(floor)},` +
        `"nft_data":[${ids.join(",")}]}`,
    );
  }
  return items.join(",");
}

/** Row 7: balances_nft. */
export const nfts: Route = {
  statement: "nfts",
  values: ({ path, now }) => [1, `\\x${path[1]?.slice(2)}`, now],
  body: (rows, { path, now }) =>
    envelope(`{"address":"${path[1]}","updated_at":${time(now)},"items":[${collectionsOf(rows, path[1] ?? "")}],"indexed_from":null}`),
};

/** Row 18: a wallet's tokens of a collection. */
export const collection: Route = {
  statement: "collection",
  values: ({ path, now }) => [1, `\\x${path[1]?.slice(2)}`, `\\x${path[3]?.slice(2)}`, now],
  body: (rows, { path, now }) => {
    const [, wallet = "", , contract = ""] = path;
    const items = rows.map(([name, symbol, standards, standard, balance, movedAt, balance24h, ...token]) => {
      const owner = standard === erc721 && balance !== null ? wallet : null;
      return (
        `{"contract_name":${text(name)},"contract_ticker_symbol":${text(symbol)},"contract_address":"${contract}","token_id":"${token[0]}",` +
        `"supports_erc":${standardsOf(standards)},"last_transfered_at":${time(movedAt)},"balance":${plain(balance)},"balance_24h":${plain(balance24h)},` +
        `"type":"nft","nft_data":${nftOf(token, owner)}}`
      );
    });
    return envelope(
      `{"updated_at":${time(now)},"address":"${wallet}","collection":"${contract}","is_spam":false,"items":[${items.join(",")}],"indexed_from":null}`,
    );
  },
};
