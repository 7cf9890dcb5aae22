import { exchanges } from "../exchanges.ts";
import { addressFields, chainFields, envelope, hex, number, plain, pretty, text, time, wholeRate } from "./json.ts";
import type { Route, Row } from "./route.ts";

const secondsPerDay = 86_400;
const daysOfYear = 365n;
const pageSize = 100;
const pointsOfWeek = 8;
/** How many decimals a quotient has before it is converted to a number. */
const quotientDecimals = 40;

/** A decimal number as an integer and its number of decimals. */
function integerOf(value: string): { readonly digits: bigint; readonly scale: number } {
  const [whole = "0", fraction = ""] = value.split(".");
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/** A year's fees divided by the liquidity, as JSON. */
function annualized(fees: string | null | undefined, liquidity: string | null | undefined): string {
  if (fees === null || fees === undefined || liquidity === null || liquidity === undefined) return "null";
  const [paid, held] = [integerOf(fees), integerOf(liquidity)];
  if (held.digits === 0n) return "null";
  const quotient = (paid.digits * daysOfYear * 10n ** BigInt(quotientDecimals)) / held.digits;
  return String(Number(`${quotient}e${held.scale - paid.scale - quotientDecimals}`));
}

function tokenOf([token, decimals, name, symbol, reserve, rate]: Row): string {
  return (
    `{"contract_decimals":${number(decimals)},"contract_name":${text(name)},"contract_ticker_symbol":${text(symbol)},"contract_address":${hex(token)},` +
    `"logo_url":null,"reserve":${plain(reserve)},"quote_rate":${wholeRate(rate, decimals)}}`
  );
}

const exchangeNames = new Map(exchanges.map(({ name, factory }) => [`\\x${factory.slice(2)}`, name]));
const tokenColumns = 6;

function poolOf([, pool, factory, symbol, liquidity, volume, weekVolume, fees, ...tokens]: Row): string {
  return (
    `{"dex_name":"${exchangeNames.get(factory ?? "")}","exchange":${hex(pool)},"exchange_ticker_symbol":${text(symbol)},"exchange_logo_url":null,` +
    `"explorers":[{"label":"Etherscan","url":"https://etherscan.io/address/0x${pool?.slice(2)}"}],` +
    `"total_liquidity_quote":${number(liquidity)},"pretty_total_liquidity_quote":${pretty(liquidity)},"volume_24h_quote":${number(volume)},` +
    `"pretty_volume_24h_quote":${pretty(volume)},"volume_7d_quote":${number(weekVolume)},"pretty_volume_7d_quote":${pretty(weekVolume)},` +
    `"fee_24h_quote":${number(fees)},"pretty_fee_24h_quote":${pretty(fees)},"annualized_fee":${annualized(fees, liquidity)},"quote_rate":null,` +
    `"pretty_quote_rate":null,"token_0":${tokenOf(tokens.slice(0, tokenColumns))},"token_1":${tokenOf(tokens.slice(tokenColumns))}}`
  );
}

/** Row 42: the pools of a token. */
export const poolsOfToken: Route = {
  statement: "pools",
  values: ({ path }) => [
    1,
    `\\x${path[3]?.slice(2)}`,
    ...exchanges.map(({ factory }) => `\\x${factory.slice(2)}`),
    pageSize,
    Number(path[6]) * pageSize,
  ],
  body: (rows, { path, now }) => {
    const page = Number(path[6]);
    const total = Number(rows[0]?.[0] ?? 0);
    const pagination = `{"has_more":${(page + 1) * pageSize < total},"page_number":${page},"page_size":${pageSize},"total_count":${total}}`;
    return envelope(`{${addressFields(path[3] ?? "", now)},"items":[${rows.map(poolOf).join(",")}],"pagination":${pagination}}`);
  },
};

/** Row 54: the totals of an exchange with its daily series. */
export const ecosystem: Route = {
  statement: "ecosystem",
  values: ({ path }) => [1, `\\x${exchanges.find(({ name }) => name === path[1])?.factory.slice(2)}`],
  body: (rows, { path, now }) => {
    const [swaps, activePools, fees, native] = rows[0] ?? [];
    const dayFields = rows.map(
      ([, , , , day]) => `"dex_name":"${path[1]}","chain_id":"1","dt":${time(Number(day) * secondsPerDay)},"quote_currency":"USD"`,
    );
    const volumes = rows.map(
      ([, , , , , daySwaps, volume], index) =>
        `{${dayFields[index]},"volume_quote":${number(volume)},"pretty_volume_quote":${pretty(volume)},"swap_count_24":${daySwaps}}`,
    );
    const liquidity = rows.map(
      ([, , , , , , , held], index) => `{${dayFields[index]},"liquidity_quote":${number(held)},"pretty_liquidity_quote":${pretty(held)}}`,
    );
    const item =
      `{"dex_name":"${path[1]}","chain_id":"1","quote_currency":"USD","gas_token_price_quote":${number(native)},"total_swaps_24h":${swaps},` +
      `"total_active_pairs_7d":${activePools},"total_fees_24h":${number(fees)},"pretty_gas_token_price_quote":${pretty(native)},` +
      `"pretty_total_fees_24h":${pretty(fees)},"volume_chart_7d":[${volumes.slice(-pointsOfWeek).join(",")}],"volume_chart_30d":[${volumes.join(",")}],` +
      `"liquidity_chart_7d":[${liquidity.slice(-pointsOfWeek).join(",")}],"liquidity_chart_30d":[${liquidity.join(",")}]}`;
    return envelope(`{${chainFields(now)},"pagination":null,"items":[${item}]}`);
  },
};
