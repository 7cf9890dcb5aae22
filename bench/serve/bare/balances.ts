import { addressFields, contractFields, envelope, etherFields, flag, plain, quoted, text, time, wholeRate } from "./json.ts";
import type { Route, Row } from "./route.ts";

const native = "0";
const noQuote = { quote: "null", pretty: "null" } as const;

function itemOf([token, standard, balance, balance24h, decimals, name, symbol, standards, movedAt, sourced, close, close24h]: Row): string {
  const isNative = standard === native;
  const contract = isNative
    ? `${etherFields},"supports_erc":null,"logo_url":null,"contract_display_name":"Ether"`
    : `${contractFields(token, decimals, name, symbol, standards)},"contract_display_name":${text(name)}`;
  const scale = isNative ? 18 : decimals;
  const now = close === null ? noQuote : quoted(balance, close);
  const day = close24h === null ? noQuote : quoted(balance24h, close24h);
  const isDust = close !== null && balance !== null && Number(now.quote) < 0.1;
  return (
    `{${contract},"last_transferred_at":${time(movedAt)},"native_token":${isNative},"type":"${isDust ? "dust" : "cryptocurrency"}","is_spam":false,` +
    `"balance":${plain(balance)},"quote_rate":${wholeRate(close, scale)},"quote":${now.quote},"pretty_quote":${now.pretty},"protocol_metadata":null,` +
    `"nft_data":null,"balance_source":${balance === null ? "null" : flag(sourced) === "true" ? '"node"' : '"events"'},` +
    `"logo_urls":{"token_logo_url":null,"protocol_logo_url":null,"chain_logo_url":null},"balance_24h":${plain(balance24h)},` +
    `"quote_rate_24h":${wholeRate(close24h, scale)},"quote_24h":${day.quote},"pretty_quote_24h":${day.pretty}}`
  );
}

/** Row 1: balances_v2. */
export const balances: Route = {
  statement: "balances",
  values: ({ path, now }) => [1, `\\x${path[1]?.slice(2)}`, now],
  body: (rows, { path, now }) =>
    envelope(
      `{${addressFields(path[1] ?? "", now)},"items":[${rows.map(itemOf).join(",")}],"indexed_from":${rows[0]?.[12] === "0" ? "null" : (rows[0]?.[12] ?? "null")}}`,
    ),
};

/** Row 1 for wallets with tens of thousands of tokens. */
export const largeWalletBalances: Route = { ...balances, statement: "large-wallet-balances" };
