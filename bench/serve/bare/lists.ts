import { chainFields, contractFields, envelope, flag, hex, number, plain, pretty, time } from "./json.ts";
import type { BareRequest, Route, Row } from "./route.ts";
import { logOf } from "./transaction-items.ts";

const defaultPageSize = 100;
const secondsPerDay = 86_400;

/** The page of a request. */
export const pageOf = ({ query }: BareRequest): { readonly size: number; readonly page: number; readonly offset: number } => {
  const [size, page] = [Number(query.get("page-size") ?? defaultPageSize), Number(query.get("page-number") ?? 0)];
  return { size, page, offset: size * page };
};

/** The pagination of a list. */
export function pagination(request: BareRequest, total: number | null, hasMore: boolean): string {
  const { size, page } = pageOf(request);
  return `"pagination":{"has_more":${hasMore},"page_number":${page},"page_size":${size},"total_count":${total}}`;
}

const maxCounted = 10_000;

/** Row 34: logs by topic, in a block range. */
export const logsByTopic: Route = {
  statement: "topics",
  values: (request) => {
    const { size, offset } = pageOf(request);
    const [from, to] = ["starting-block", "ending-block"].map((name) => request.query.get(name) ?? "");
    return [1, `\\x${request.path[2]?.slice(2)}`, from ?? "", to ?? "", size + 1, offset];
  },
  body: (rows, request) => {
    const { size } = pageOf(request);
    const count = Number(rows[0]?.[0] ?? 0);
    const items = rows
      .slice(0, size)
      .map(([, timestamp, height, hash, offset, ...log]) => logOf(log, { timestamp, height, hash, offset }))
      .join(",");
    const total = count > maxCounted ? null : count;
    return envelope(
      `{${chainFields(request.now)},"items":[${items}],${pagination(request, total, rows.length > size)},"indexed_from":null}`,
    );
  },
};

const blockOf = ([, hash, timestamp, height, parent, extra, miner, gasUsed, gasLimit]: Row): string =>
  `{"block_hash":${hex(hash)},"signed_at":${time(timestamp)},"height":${height},"block_parent_hash":${hex(parent)},"extra_data":${hex(extra)},` +
  `"miner_address":${hex(miner)},"mining_cost":null,"gas_used":${gasUsed},"gas_limit":${number(gasLimit)},` +
  `"transactions_link":"http://bench.invalid/v1/eth-mainnet/block/${height}/transactions_v3/"}`;

/** Row 31: blocks in a date range. */
export const blocksOfDays: Route = {
  statement: "blocks",
  values: (request) => {
    const { size, offset } = pageOf(request);
    const [begin = 0, end = 0] = [request.path[1], request.path[2]].map((day) => Date.parse(`${day}T00:00:00Z`) / 1000);
    return [1, begin, end + secondsPerDay, size, offset];
  },
  body: (rows, request) => {
    const { size, offset } = pageOf(request);
    const total = Number(rows[0]?.[0] ?? 0);
    const hasMore = offset + size < total;
    return envelope(
      `{${chainFields(request.now)},"items":[${rows.map(blockOf).join(",")}],${pagination(request, total, hasMore)},"indexed_from":null}`,
    );
  },
};

/** Row 6: holders of a token. */
export const holders: Route = {
  statement: "holders",
  values: (request) => {
    const { size, offset } = pageOf(request);
    return [1, `\\x${request.path[1]?.slice(2)}`, size, offset];
  },
  body: (rows, request) => {
    const { size, offset } = pageOf(request);
    const [block = null, total = "0", supply = null, decimals = null, name = null, symbol = null, standards = null, sourced = null] =
      rows[0] ?? [];
    const contract = contractFields(`\\x${request.path[1]?.slice(2)}`, decimals, name, symbol, standards);
    const rest = `"total_supply":${plain(supply)},"block_height":${block},"balance_source":${flag(sourced) === "true" ? '"node"' : '"events"'}`;
    const items = rows.map((row) => `{${contract},"address":${hex(row[8])},"balance":${plain(row[9])},${rest}}`).join(",");
    const hasMore = offset + size < Number(total);
    return envelope(`{${chainFields(request.now)},"items":[${items}],${pagination(request, Number(total), hasMore)},"indexed_from":null}`);
  },
};

const dayOf = (day: string | null): number => Date.parse(`${day}T00:00:00Z`) / 1000 / secondsPerDay;

/** Pricing: daily prices of a token. */
export const prices: Route = {
  statement: "prices",
  values: ({ path, query }) => [1, `\\x${path[3]?.slice(2)}`, dayOf(query.get("from")), dayOf(query.get("to"))],
  body: (rows, { path, now }) => {
    const [, , decimals = null, name = null, symbol = null, standards = null] = rows[0] ?? [];
    const contract = contractFields(`\\x${path[3]?.slice(2)}`, decimals, name, symbol, standards);
    const list = rows
      .map(
        ([day, price]) =>
          `{"contract_metadata":{${contract}},"date":${time(Number(day) * secondsPerDay)},"price":${number(price)},"pretty_price":${pretty(price)}}`,
      )
      .join(",");
    const logos = `"logo_urls":{"token_logo_url":null,"protocol_logo_url":null,"chain_logo_url":null}`;
    return envelope(`[{${contract},"update_at":${time(now)},"quote_currency":"USD",${logos},"prices":[${list}],"items":[${list}]}]`);
  },
};
