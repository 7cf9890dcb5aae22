import { type Attack, flood } from "../attack.ts";
import { chain, collector, hubSender, hubToken, lastBlock } from "../fixture.ts";

const connectionCount = 200;
const currencies = ["USD", "CAD", "EUR", "SGD", "INR", "JPY", "VND", "CNY", "KRW", "RUB", "TRY", "NGN", "ARS", "AUD", "CHF", "GBP"];
const csv = "format=csv&page-size=10000";

/** Paths with the largest responses of each kind. They differ between variants, so few responses are shared or cached. */
const pathsOf = (variant: number): string[] => {
  const currency = currencies[variant % currencies.length] ?? "USD";
  const block = lastBlock - variant;
  return [
    `address/${collector}/balances_v2/?quote-currency=${currency}`,
    `address/${collector}/balances_v2/?quote-currency=${currency}&format=csv`,
    `address/${collector}/portfolio_v2/?quote-currency=${currency}&days=3`,
    `address/${collector}/historical_balances/?quote-currency=${currency}&block-height=${block}`,
    `tokens/${hubToken}/token_holders_v2/?${csv}&block-height=${block}`,
    `tokens/${hubToken}/token_holders_v2/?page-size=1000&page-number=${variant}`,
    `address/${hubSender}/transfers_v2/?contract-address=${hubToken}&${csv}&quote-currency=${currency}`,
    `address/${hubSender}/transfers_v2/?page-size=1000&quote-currency=${currency}`,
    `events/?starting-block=${block - 400}&ending-block=${block}&address=${hubToken}`,
    // This range has more rows than a response may contain.
    `events/?starting-block=${block - 990}&ending-block=${block}`,
    `events/address/${hubToken}/?starting-block=0&ending-block=${block}&${csv}`,
    `bulk/transactions/${hubSender}/?quote-currency=${currency}`,
    `block/${block}/transactions_v3/?quote-currency=${currency}`,
  ];
};

/** Requests the largest responses with one key over 200 connections. */
export const requestLargest = (attack: Attack): Promise<void> => {
  const paths = Array.from({ length: currencies.length }, (_, variant) => pathsOf(variant)).flat();
  return flood(attack, connectionCount, (number) => `/v1/${chain.name}/${paths[number % paths.length]}`);
};
