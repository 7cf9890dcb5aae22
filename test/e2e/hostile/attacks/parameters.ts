import { type Attack, flood } from "../attack.ts";
import { chain, ordinaryWallets } from "../fixture.ts";

const connectionCount = 50;

/** Query strings of at most 4 KB, the maximum URL length: names, repetitions, lists, escapes, and long values that are validated or resolved. */
const queries = [
  Array.from({ length: 2_000 }, () => "a").join("&"),
  Array.from({ length: 600 }, (_, index) => `n${index}`).join("&"),
  Array.from({ length: 2_000 }, (_, index) => String.fromCharCode(97 + (index % 26))).join("&"),
  "&".repeat(3_900),
  `no-spam=${"%41".repeat(1_250)}`,
  `quote-currency=${"USD,".repeat(900)}`,
  `__proto__=1&constructor=1&${"toString=1&".repeat(300)}`,
];

/** Sends 2,000 parameter names in a URL, and other query strings that are slow to parse. Some URLs are longer than the maximum. */
export const sendParameters = (attack: Attack): Promise<void> =>
  flood(attack, connectionCount, (number) => {
    const query = queries[number % queries.length] ?? "";
    const padding = number % 5 === 0 ? "x=1&".repeat(2_000) : "";
    return `/v1/${chain.name}/address/${ordinaryWallets[0]}/balances_v2/?${padding}${query}`;
  });
