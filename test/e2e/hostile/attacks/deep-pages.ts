import { type Attack, flood } from "../attack.ts";
import { chain, hubSender, hubToken, lastBlock, transferTopic } from "../fixture.ts";

const connectionCount = 50;
/** The deepest served and first refused pages in both kinds of lists, and the largest page number. */
const pageNumbers = [99, 100, 101, 10_000, 10_001, 2_147_483_647] as const;

/** Requests the deepest possible pages. */
export const requestDeepPages = (attack: Attack): Promise<void> =>
  flood(attack, connectionCount, (number) => {
    const page = `page-size=1000&page-number=${pageNumbers[number % pageNumbers.length]}`;
    const paths = [
      `tokens/${hubToken}/token_holders_v2/?${page}`,
      `tokens/${hubToken}/token_holders_v2/?${page}&block-height=${lastBlock - (number % 500)}`,
      `events/address/${hubToken}/?starting-block=0&ending-block=${lastBlock - (number % 50)}&${page}`,
      `events/topics/${transferTopic}/?starting-block=0&ending-block=${lastBlock - (number % 50)}&${page}`,
      `address/${hubSender}/transfers_v2/?contract-address=${hubToken}&${page}`,
      `address/${hubSender}/transactions_v3/page/${pageNumbers[number % pageNumbers.length]}/`,
    ];
    return `/v1/${chain.name}/${paths[Math.floor(number / pageNumbers.length) % paths.length]}`;
  });
