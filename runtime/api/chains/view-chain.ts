import type { Chain } from "../../../generated/requests.gen.ts";
import type { ContractMetadata, Explorer } from "../../../generated/responses.gen.ts";
import type { ChainConfig } from "../../config/config.ts";
import { type Address, type Hash, nativeTokenAddress } from "../../lib/hex.ts";
import { isoTimestamp } from "../../lib/time.ts";

/** `updated_at` of a response. */
export const updatedAt = (now: Date): string => isoTimestamp(Math.floor(now.getTime() / 1000));

/** The fields that responses about one chain share. */
export const chainFields = (chain: Chain, now: Date) => ({ updated_at: updatedAt(now), chain_id: chain.id, chain_name: chain.name });

/** The names of the chains whose database did not respond. */
export const unavailableChains = (
  chains: readonly { readonly id: number; readonly name: string }[],
  unavailable: ReadonlySet<number>,
): string[] => chains.filter(({ id }) => unavailable.has(id)).map(({ name }) => name);

/** The native token as a contract. */
export const nativeMetadata = (chain: ChainConfig): ContractMetadata => ({
  contract_decimals: chain.nativeToken.decimals,
  contract_name: chain.nativeToken.name,
  contract_ticker_symbol: chain.nativeToken.symbol,
  contract_address: nativeTokenAddress,
  supports_erc: null,
  logo_url: chain.nativeToken.logoUrl ?? null,
});

/** The configured logo of a token. */
export const tokenLogo = ({ tokenLogos }: Pick<ChainConfig, "tokenLogos">, token: Address): string | null => tokenLogos[token] ?? null;

/** Links to a transaction in the chain's explorers. */
export const transactionExplorers = (chain: ChainConfig, hash: Hash): Explorer[] =>
  chain.explorers.map((explorer) => ({ label: explorer.label, url: `${explorer.url.replace(/\/$/, "")}/tx/${hash}` }));

/** Links to a contract in the chain's explorers. */
export const addressExplorers = (chain: ChainConfig, address: Address): Explorer[] =>
  chain.explorers.map((explorer) => ({ label: explorer.label, url: `${explorer.url.replace(/\/$/, "")}/address/${address}` }));
