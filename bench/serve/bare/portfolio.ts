import { addressFields, envelope, etherFields, hex, number, plain, quoted, text, time, wholeRate } from "./json.ts";
import type { Route, Row } from "./route.ts";

const days = 30;
const secondsPerDay = 86_400;
const nativeStandard = "0";

/** The opening, highest, lowest and closing balance of a day. */
interface Day {
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
}

/** A balance's days, oldest first. `changes` is a comma-separated list of `<day, from 1>:<balance>`. */
function daysOf(opening: string, changes: string | null): Day[] {
  const list = (changes ?? "").split(",").map((change) => change.split(":"));
  let next = 0;
  let close = opening;
  return Array.from({ length: days }, (_, index) => {
    const open = close;
    if (list[next]?.[0] !== String(index + 1)) return { open, high: open, low: open, close };
    let [high, low] = [BigInt(open), BigInt(open)];
    for (; list[next]?.[0] === String(index + 1); next += 1) {
      close = list[next]?.[1] ?? close;
      const balance = BigInt(close);
      if (balance > high) high = balance;
      if (balance < low) low = balance;
    }
    return { open, high: String(high), low: String(low), close };
  });
}

function itemOf(times: readonly string[], [token, standard, decimals, name, symbol, opening, changes, closes]: Row): string[] {
  const held = daysOf(opening ?? "0", changes ?? null);
  if (held.every(({ high, close }) => high === "0" && close === "0")) return [];
  const scale = standard === nativeStandard ? 18 : decimals;
  const prices = closes?.split(",") ?? [];
  const contract =
    standard === nativeStandard
      ? etherFields
      : `"contract_decimals":${number(decimals)},"contract_name":${text(name)},"contract_ticker_symbol":${text(symbol)},"contract_address":${hex(token)}`;
  const holdings = held.map(({ open, high, low, close }, index) => {
    const price = prices[index] || null;
    const view = (balance: string): string => {
      const { quote, pretty } = quoted(balance, price);
      return `{"balance":${plain(balance)},"quote":${quote},"pretty_quote":${pretty}}`;
    };
    const closeView = view(close);
    // Most balances do not change during a day.
    const viewOrClose = (balance: string): string => (balance === close ? closeView : view(balance));
    return (
      `{"quote_rate":${wholeRate(price, scale)},"timestamp":${times[index]},` +
      `"close":${closeView},"high":${viewOrClose(high)},"low":${viewOrClose(low)},"open":${viewOrClose(open)}}`
    );
  });
  return [`{${contract},"logo_url":null,"holdings":[${holdings.reverse().join(",")}]}`];
}

/** Row 4: portfolio_v2. */
export const portfolio: Route = {
  statement: "portfolio",
  values: ({ path }) => [1, `\\x${path[1]?.slice(2)}`, days],
  body: (rows, { path, now }) => {
    const firstDay = Number(rows[0]?.[8] ?? 0);
    const times = Array.from({ length: days }, (_, index) => time((firstDay + index) * secondsPerDay));
    const items = rows.flatMap((row) => itemOf(times, row)).join(",");
    return envelope(`{${addressFields(path[1] ?? "", now)},"items":[${items}],"indexed_from":null}`);
  },
};
