interface Welcome {
  readonly url: string;
  readonly rpcUrl: string;
  readonly bitcoinRpcUrl: string;
  readonly key: string;
  readonly storyValues: Readonly<Record<string, string>>;
}

/** Renders the message shown when the demo is ready: its URLs, its key and six example requests. */
export function renderWelcome({ url, rpcUrl, bitcoinRpcUrl, key, storyValues }: Welcome): string {
  const paths = [
    `/v1/demo/address/${storyValues.trader}/balances_v2/`,
    `/v1/demo/address/${storyValues.trader}/transfers_v2/?page-size=5`,
    `/v1/demo/address/${storyValues.newcomer}/transactions_v3/`,
    `/v1/demo/events/address/${storyValues.goldPair}/?page-size=5`,
    "/v1/demo/block_v2/latest/",
    `/v1/cq/provider/app/bitcoin/transactions/?address=${storyValues.bitcoinSaver}&page-size=5`,
  ];
  return [
    "",
    "Ashlar is ready.",
    `  documentation  ${url}/docs/`,
    `  node           ${rpcUrl}`,
    `  Bitcoin node   ${bitcoinRpcUrl}`,
    `  key            ${key}`,
    "",
    ...paths.map((path) => `  curl -H 'Authorization: Bearer ${key}' '${url}${path}'`),
    "",
  ].join("\n");
}
