interface Welcome {
  readonly url: string;
  readonly rpcUrl: string;
  readonly key: string;
  readonly cast: Readonly<Record<string, string>>;
}

/** What the demo says when it is ready: where everything is, and five requests that work. */
export function renderWelcome({ url, rpcUrl, key, cast }: Welcome): string {
  const paths = [
    `/v1/demo/address/${cast.trader}/balances_v2/`,
    `/v1/demo/address/${cast.trader}/transfers_v2/?page-size=5`,
    `/v1/demo/address/${cast.newcomer}/transactions_v3/`,
    `/v1/demo/events/address/${cast.goldPair}/?page-size=5`,
    "/v1/demo/block_v2/latest/",
  ];
  return [
    "",
    "Ashlar is ready.",
    `  documentation  ${url}/docs/`,
    `  node           ${rpcUrl}`,
    `  key            ${key}`,
    "",
    ...paths.map((path) => `  curl -H 'Authorization: Bearer ${key}' '${url}${path}'`),
    "",
  ].join("\n");
}
