import type { Chain } from "../../../generated/requests.gen.ts";
import type { SupportedDex } from "../../../generated/responses.gen.ts";
import type { ChainConfig } from "../../config/config.ts";
import type { ExchangeConfig } from "../../config/exchanges.ts";
import { RequestError } from "../../lib/request-error.ts";
import type { ResolverContext } from "../context.ts";

/** A network's constant-product exchanges, which the xy=k paths serve. */
export const exchangesOf = (chain: ChainConfig): readonly ExchangeConfig[] => chain.exchanges.filter(({ family }) => family === "xy=k");

/** Returns the exchange with this name. @throws {RequestError} 404 if the network has none. */
export function requireExchange(context: Pick<ResolverContext, "chains">, chain: Chain, name: string): ExchangeConfig {
  const exchanges = exchangesOf(context.chains.get(chain.id));
  const found = exchanges.find((exchange) => exchange.name === name);
  if (found !== undefined) return found;
  const names = exchanges.map((exchange) => exchange.name).join(", ") || "none";
  throw new RequestError(404, `Exchange ${name} is not configured on ${chain.name}; configured exchanges: ${names}.`);
}

const million = 1_000_000;

/** An exchange as an item. */
export const viewExchange = (chain: ChainConfig, { name, label, logoUrl, factory, routers, feePpm }: ExchangeConfig): SupportedDex => ({
  chain_id: String(chain.id),
  chain_name: chain.name,
  dex_name: name,
  display_name: label ?? null,
  logo_url: logoUrl ?? null,
  factory_contract_address: factory,
  router_contract_addresses: routers.length === 0 ? null : routers,
  swap_fee: feePpm === undefined ? null : feePpm / million,
});
