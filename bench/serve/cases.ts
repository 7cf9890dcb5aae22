import type { StoryFacts } from "../queries/story.ts";
import { createRandom } from "../support/random.ts";
import type { RowCase } from "./row-case.ts";

const prefix = "/v1/eth-mainnet/";
/** Pages of an ordinary wallet, which has at least 300 transfers. */
const ordinaryPages = 3;
const maxBusyPages = 200;

/** The rows of the interface with requests that vary over wallets and pages. */
export function rowCases({ ordinary, busy, blocks }: StoryFacts): readonly RowCase[] {
  const ofWallet = (wallet: string, path: string): string => `${prefix}address/${wallet}/${path}`;
  // Full pages: the busy address sends two of fifteen transactions, and a block has eight.
  const busyPages = Array.from({ length: Math.min(maxBusyPages, Math.floor((blocks * 8 * 2) / 15 / 100)) }, (_, page) => page);
  return [
    { row: "1", name: "balances_v2", kind: "balances", paths: ordinary.map((wallet) => ofWallet(wallet, "balances_v2/")) },
    {
      row: "5",
      name: "transfers_v2",
      kind: "list",
      paths: shuffled([
        ...ordinary.flatMap((wallet) =>
          Array.from({ length: ordinaryPages }, (_, page) => ofWallet(wallet, `transfers_v2/?page-size=100&page-number=${page}`)),
        ),
        ...busyPages.map((page) => ofWallet(busy, `transfers_v2/?page-size=100&page-number=${page}`)),
      ]),
    },
    {
      row: "26",
      name: "transactions_v3/page",
      kind: "list",
      paths: shuffled(busyPages.map((page) => ofWallet(busy, `transactions_v3/page/${page}/`))),
    },
  ];
}

/** The same items in a random order, which is the same in each run. */
function shuffled(items: string[]): string[] {
  const random = createRandom(1);
  for (let last = items.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [items[last], items[other]] = [items[other] ?? "", items[last] ?? ""];
  }
  return items;
}
