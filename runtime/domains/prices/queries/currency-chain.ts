import type { Currency } from "../../../../generated/requests.gen.ts";
import type { ChainConfig } from "../../../config/config.ts";

/** Whose rate of a currency counts for a chain's prices: its own where it has a feed of it, else that of the first chain that has, else its own (a file may tell it). */
export const chainOfCurrencies =
  (chains: readonly ChainConfig[]) =>
  (chainId: number, currency: Currency): number => {
    const having = chains.filter(({ prices }) => prices.feeds.some((feed) => feed.of === currency));
    return (having.find(({ id }) => id === chainId) ?? having[0])?.id ?? chainId;
  };
