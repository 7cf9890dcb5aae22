import { type LoadedCatalog, loadCatalog } from "../../../../generator/catalog/load.ts";
import type { SourceLocation } from "../../../../runtime/declarations/diagnostics.ts";

const service = `
title: Small
version: 1.0.0
description: A catalog for tests.
license: { name: MIT, identifier: MIT }
tags:
  tokens: Tokens and their holders.
  community: Endpoints of community protocols.
envelope:
  data: { description: The payload. }
  error: { description: Whether the request failed. }
  error_message: { description: The reason of a failure. }
  error_code: { description: The HTTP status of a failure. }
errors:
  "400": { title: Bad request, description: The request is invalid., example: Send a number. }
authentication:
  bearer: { type: http, scheme: bearer, description: The key as a token. }
  queryKey: { type: apiKey, in: query, name: key, description: The key in the query. }
headers:
  X-Credits: { type: number, description: The cost., example: 0.1 }
pathParameters:
  chainName: { type: chain, description: The network., example: demo }
  tokenAddress: { type: address, description: The token., example: "0x5fbdb2315678afecb367f032d93f642f64180aa3" }
  page: { type: integer, minimum: 0, description: The page., example: 0 }
queryParameters:
  key: { type: text, maximum: 40, description: The key., example: secret }
  page-size: { type: integer, minimum: 1, maximum: 1000, default: 100, description: The size., example: 100 }
  starting-block: { type: block, description: The first block., example: earliest }
  ending-block: { type: block, description: The last block., example: latest }
  date: { type: date, description: The day., example: "2026-01-31" }
  days: { type: integer, minimum: 1, maximum: 90, default: 30, description: The number of days., example: 30 }
  order: { type: choice, values: [up, down], default: up, description: The order., example: up }
  topics: { type: topicList, maxItems: 2, description: The topics., example: "0x01,0x02" }
commonQuery: [key]
pagination:
  none: { description: A single response., responseFields: [] }
  page: { description: By number., query: [page-size], responseFields: [pagination] }
  links: { description: By links., path: page, responseFields: [links] }
networkGroups:
  archive: { description: Networks with archive state., chains: [demo] }
`;

const tokens = `
domain: tokens
endpoints:
  getTokenHolders:
    row: 1
    class: A
    path: /v1/{chainName}/tokens/{tokenAddress}/holders/
    summary: Holders of a token
    notes: The largest first.
    cost: { credits: 0.02, per: item }
    mode: realtime
    response: TokenHoldersResponse
    networks: archive
    query: [date, { name: order, values: [up, down, none], default: down }]
    pagination: { style: page, sizes: [100, 1000] }
    rules:
      - exclusive: [date, order]
    example: { tokenAddress: story:goldToken, date: story:firstDay, page-size: 1000 }
  getTokenHoldersByPage:
    row: 2
    class: A
    path: /v1/{chainName}/tokens/{tokenAddress}/holders/{page}/
    summary: Holders by page
    notes: The largest first.
    cost: { credits: 1, per: call }
    mode: batch
    response: HolderPagesResponse
    pagination: { style: links }
`;

const logs = `
domain: tokens
endpoints:
  getLogs:
    row: 3
    class: B
    path: /v1/{chainName}/events/
    summary: Logs of blocks
    notes: The newest first.
    cost: { credits: 5, per: block }
    mode: batch
    status: planned
    response: LogsResponse
    query: [starting-block, ending-block, topics]
    rules:
      - ascending: [starting-block, ending-block]
    example: { starting-block: 7, ending-block: "0x10" }
  getPortfolio:
    class: A
    addition: true
    path: /v1/{chainName}/portfolio/
    summary: Values by day
    notes: The newest first.
    cost: { credits: 2, per: 30-days }
    mode: batch
    response: LogsResponse
    query: [days]
`;

const holders = `
TokenHoldersResponse:
  description: The holders of a token.
  rows: items
  fields:
    updated_at: { type: timestamp, description: The time of the response., example: "2026-03-01T12:00:00Z" }
    items: { type: "[Holder]", description: The holders. }
    pagination: { type: Pagination?, description: The page. }
HolderPagesResponse:
  description: The holders of a token, with links between pages.
  extends: TokenHoldersResponse
  fields:
    links: { type: Links, description: The other pages. }
Holder:
  description: One holder.
  fields:
    address: { type: address, description: The address of the holder., example: "0x70997970c51812dc3a010c7d01b50e0d17dc79c8" }
    balance: { type: bigint?, description: The balance of the holder., example: "1000" }
    kind: { type: string, values: [wallet, contract], description: The kind of account., example: wallet }
    labels: { type: "[string]", description: The labels of the holder., example: [first, second] }
    parent: { type: Holder?, description: The account that it holds the token for. }
Pagination:
  description: The page.
  fields:
    has_more: { type: boolean, description: Whether there are more pages., example: true }
Links:
  description: The other pages.
  fields:
    next: { type: url?, description: The next page., example: "https://example.com/1/" }
`;

const logObjects = `
LogsResponse:
  description: Logs of blocks.
  fields:
    hash: { type: hash, description: The transaction., example: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060" }
    first: { type: Log, description: The first log. }
Log:
  description: One log.
  fields:
    data: { type: hex, description: The data., example: 0x }
    day: { type: date, description: The day., example: "2026-01-31" }
    height: { type: integer, description: The block., example: 7 }
    price: { type: number, description: The price., example: 1.5 }
    note: { type: Note, description: A note. }
Note:
  description: A note.
  fields:
    text: { type: string, description: The text., example: Hello }
`;

const template = `
domain: community
path: /v1/cq/{protocol}/{operation}/
operations:
  markets:
    summary: Markets of a protocol
    notes: All of them.
    response: HolderPagesResponse
    query: [{ name: date, required: true }]
    pagination: { style: page }
  balances:
    summary: Balances of a wallet
    notes: All of them.
    response: HolderPagesResponse
`;

const protocolOne = `
protocol: protocol_01
name: first
description: The first one.
operations:
  markets:
  balances: { notes: Only some of them. }
`;

const protocolTwo = `
protocol: protocol_02
name: second
description: The second one.
operations:
  balances:
`;

/** A valid catalog with one declaration of every kind. */
export const smallCatalog: ReadonlyMap<string, string> = new Map([
  ["spec/service.yaml", service],
  ["spec/endpoints/logs.yaml", logs],
  ["spec/endpoints/tokens.yaml", tokens],
  ["spec/objects/holders.yaml", holders],
  ["spec/objects/logs.yaml", logObjects],
  ["spec/community/template.yaml", template],
  ["spec/community/protocol_01/protocol.yaml", protocolOne],
  ["spec/community/protocol_02/protocol.yaml", protocolTwo],
]);

/** An edit to a file: `replacement` replaces the only occurrence of `find`. A § in `replacement` marks the expected location of a diagnostic. */
export interface Change {
  readonly file: string;
  readonly find: string;
  readonly replacement: string;
}

/** Loads the small catalog with changes; also returns the locations that the changes mark. */
export function catalogWith(...changes: readonly Change[]): LoadedCatalog & { locations: readonly SourceLocation[] } {
  const files = new Map(smallCatalog);
  for (const { file, find, replacement } of changes) {
    const parts = (files.get(file) ?? "").split(find);
    if (parts.length !== 2)
      throw new Error(`${JSON.stringify(find)} occurs ${parts.length - 1} times in ${file}: expected one occurrence.`);
    files.set(file, parts.join(replacement));
  }
  const locations = [...new Set(changes.map(({ file }) => file))].flatMap((file) => markedLocations(file, files.get(file) ?? ""));
  const unmarked = [...files].map(([file, text]) => [file, text.replaceAll("§", "")] as const);
  return { ...loadCatalog(new Map(unmarked)), locations };
}

function markedLocations(file: string, text: string): SourceLocation[] {
  return text.split("\n").flatMap((line, index) => {
    const columns = line.split("§").slice(0, -1);
    return columns.map((_, mark) => ({ file, line: index + 1, column: columns.slice(0, mark + 1).join("").length + 1 }));
  });
}
